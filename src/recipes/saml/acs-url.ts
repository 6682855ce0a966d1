import { Refusal } from '../refusal.ts';
import { isXmlText } from './xml-text.ts';

/** An address to which an identity provider can send something. @throws Refusal for any other text */
export function requireAcsUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url) && isXmlText(url)) return url;
  throw new Refusal('field-invalid', { field: 'acsURL' });
}
