/** What strict decoding answers: the bytes, or the complaint of the reference's decoder, which some answers quote. */
export type Decoded = { readonly bytes: Buffer } | { readonly error: string };

const ALPHABETS = {
  /** RFC 4648 section 4. */
  standard: { foreign: /[^A-Za-z0-9+/]/, encoding: 'base64' },
  /** RFC 4648 section 5. */
  url: { foreign: /[^A-Za-z0-9_-]/, encoding: 'base64url' },
} as const;

const UNIT_ERROR = 'Input byte array has wrong 4-byte ending unit';
const DANGLING_ERROR = 'Last unit does not have enough valid bits';

/**
 * Strict base64 by the rules and complaints of the JDK's basic decoder (contract 02 section 2.4 and
 * contract 03 section 1.4): one alphabet, no blanks, padding absent or correct and last; unused trailing bits ignored.
 */
export function decodeBase64(text: string, alphabet: keyof typeof ALPHABETS): Decoded {
  const { foreign, encoding } = ALPHABETS[alphabet];
  const end = text.search(foreign);
  const error = end < 0 ? bareTextError(text.length) : tailError(text, end);
  return error === undefined ? { bytes: Buffer.from(text, encoding) } : { error };
}

function bareTextError(length: number): string | undefined {
  if (length === 1) return 'Input byte[] should at least have 2 bytes for base64 bytes';
  return length % 4 === 1 ? DANGLING_ERROR : undefined;
}

/** `at` is the place of the first character outside the alphabet. */
function tailError(text: string, at: number): string | undefined {
  if (text.length < 2) return bareTextError(text.length);
  if (text[at] !== '=') return `Illegal base64 character ${signedByteHex(text.charCodeAt(at))}`;
  const used = at % 4;
  if (used === 0 || (used === 2 && text[at + 1] !== '=')) return UNIT_ERROR;
  if (used === 1) return DANGLING_ERROR;
  const end = at + (used === 2 ? 2 : 1);
  return end < text.length ? `Input byte array has incorrect ending byte at ${end}` : undefined;
}

/** The decoder reads Latin-1 bytes, anything else as `?`, and prints them as signed numbers. */
function signedByteHex(code: number): string {
  const byte = code > 0xff ? 0x3f : code;
  return (byte > 0x7f ? byte - 0x100 : byte).toString(16);
}
