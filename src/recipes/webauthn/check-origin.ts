import { decodeBase64 } from '../../crypto/base64.ts';

const ANDROID = 'android:apk-key-hash:';
const NO_MATCH = 'Origin does not match RelyingParty Id';
const NO_URL = 'Origin has to be a valid url!';

/** Schemes that the reference's parser of URLs knows. */
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'ftp', 'file', 'jar', 'mailto']);

/** Base64url characters and bytes of a SHA-256. */
const HASH_CHARS = 43;
const HASH_BYTES = 32;

/**
 * What is wrong with the origin of some options (contract 07 section 2.1); undefined for a right one.
 * @param isStrict whether its host has to be the relying party or below it; else any that ends with its text will do
 */
export function checkOrigin(origin: string, relyingPartyId: string, isStrict: boolean): string | undefined {
  if (origin.startsWith(ANDROID)) return androidFault(origin.slice(ANDROID.length));
  const host = hostOf(origin);
  if (host === undefined) return NO_URL;
  const isBelow = isStrict ? host === relyingPartyId || host.endsWith(`.${relyingPartyId}`) : host.endsWith(relyingPartyId);
  return isBelow ? undefined : NO_MATCH;
}

function androidFault(hash: string): string | undefined {
  if (hash === '') return 'Android origin must contain a valid base64 hash';
  const decoded = decodeBase64(hash, 'url');
  if ('error' in decoded || hash.includes('=')) return 'Android origin hash must be valid URL-safe base64 (no padding)';
  if (hash.length !== HASH_CHARS) return 'Android origin hash must be 43 characters (base64url SHA-256)';
  return decoded.bytes.length === HASH_BYTES ? undefined : 'Android origin hash must decode to 32 bytes (SHA-256)';
}

/** The host of a URL as it is written, empty where it has none; undefined for what is no URL. */
function hostOf(origin: string): string | undefined {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(origin.trim()) ?? [];
  if (!SCHEMES.has(scheme.toLowerCase())) return undefined;
  const [, authority = ''] = /^\/\/([^/?#]*)/.exec(rest) ?? [];
  const address = authority.slice(authority.lastIndexOf('@') + 1);
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(address);
  return parts?.[1];
}
