import { decodeBase64 } from '../../crypto/base64.ts';
import { Refusal } from '../refusal.ts';

const ALPHABETS = { deviceId: 'standard', linkCode: 'url' } as const;

/** The bytes of a device id or link code. @throws Refusal where it is not strict base64 (contract 03 section 1.4) */
export function decodeField(field: keyof typeof ALPHABETS, text: string): Buffer {
  const decoded = decodeBase64(text, ALPHABETS[field]);
  if ('error' in decoded) throw new Refusal('bad-input', { text: `Input encoding error in ${field}` });
  return decoded.bytes;
}
