import { LIMITS } from '../../config/limits.ts';
import type { SamlQuestion } from './saml.ts';

/** Whether a response is not even decoded. */
export function isTooLong({ samlResponse }: SamlQuestion): boolean {
  return samlResponse.length > LIMITS.samlResponseChars;
}

/** The text of a document that may be parsed: without byte order mark and XML declaration. */
export interface XmlText {
  readonly text: string;
  /** Whether it holds comments, CDATA or processing instructions: parsers and canonicalisers disagree on them. */
  readonly hasComments: boolean;
  readonly hasOtherMarkup: boolean;
}

/** Leaves the byte order mark to the caller. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const BLANKS = /[ \t\r\n\f]+/g;

/** Base64 from a form, perhaps wrapped, as UTF-8 text; undefined where it is not that (contract 06 section 1.9). */
export function decodePostedXml(posted: string): string | undefined {
  const base64 = posted.replace(BLANKS, '');
  if (!BASE64.test(base64) || base64.replace(/=/g, '').length % 4 === 1) return undefined;
  try {
    return UTF8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

/** What XML 1.0 does not allow as a character. */
const FOREIGN_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
/** Of any length: leading zeros are allowed, and parsers read past them. */
const CHARACTER_REFERENCE = /&#(?:x([0-9a-fA-F]+)|([0-9]+));/g;
/** An ampersand that begins no reference: some parsers take it for text, which XML 1.0 forbids (section 4.1). */
const BARE_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)/;
const DECLARATION = /^<\?xml[ \t\r\n][^?<>]{0,200}\?>/;
const DECLARATION_CONTENT =
  /^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(?:"utf-8"|'utf-8'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$/i;

/**
 * Checks a text before any parser does (contract 06 section 6.1 step 2): XML 1.0 in UTF-8, nothing that begins like a
 * declaration (no document type), only XML 1.0 characters, also by reference, no other references. Undefined otherwise.
 */
export function readXmlText(whole: string): XmlText | undefined {
  const withoutMark = whole.startsWith('\ufeff') ? whole.slice(1) : whole;
  if (FOREIGN_CHARACTER.test(withoutMark) || !referencesAreCharacters(withoutMark)) return undefined;
  const declaration = DECLARATION.exec(withoutMark)?.[0] ?? '';
  if (declaration !== '' && !DECLARATION_CONTENT.test(declaration)) return undefined;
  const text = withoutMark.slice(declaration.length);
  // An XML declaration that did not match, or stands elsewhere, is not accepted as a processing instruction either.
  if (/<\?xml[\s?]/i.test(text)) return undefined;
  let hasComments = false;
  let hasOtherMarkup = text.includes('<?');
  for (let at = text.indexOf('<!'); at >= 0; at = text.indexOf('<!', at + 2)) {
    if (text.startsWith('<!--', at)) hasComments = true;
    else if (text.startsWith('<![CDATA[', at)) hasOtherMarkup = true;
    else return undefined;
  }
  // In comments and their like an ampersand is text.
  if (!hasComments && !hasOtherMarkup && BARE_AMPERSAND.test(text)) return undefined;
  return { text, hasComments, hasOtherMarkup };
}

function referencesAreCharacters(text: string): boolean {
  for (const [, hex, decimal] of text.matchAll(CHARACTER_REFERENCE)) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code > 0x10ffff || FOREIGN_CHARACTER.test(String.fromCodePoint(code))) return false;
  }
  return true;
}

/** Escapes two characters that are line ends to parsers of XML 1.1 only, so that every parser keeps them. */
export function keepRareLineEnds(text: string): string {
  return text.replace(/[\u0085\u2028]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The value of an attribute in double quotes. */
export function escapeAttribute(value: string): string {
  return value.replace(/[&<"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Attributes in a well-formed text without comments: of two of one name, a parser may silently drop one. */
export function countAttributes(text: string): number {
  let count = 0;
  let isInTag = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '<') isInTag = true;
    else if (character === '>') isInTag = false;
    else if (isInTag && (character === '"' || character === "'")) {
      count += 1;
      at = text.indexOf(character, at + 1);
      if (at < 0) return Number.NaN;
    }
  }
  return count;
}

/** Without XML's blanks at both ends. (Not `trim`, which removes more and could make two signed names one.) */
export function trimXml(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
