import { Refusal } from '../refusal.ts';

/** Visible ASCII without what URL parsers disagree about: these end up in headers and links. */
const URI_TEXT = /^[!#-;=?-[\]_a-z~]+$/i;
const WEB_URI = /^(https?):\/\/[^/?#]/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** Schemes that run, read or show what stands in the URL, instead of going to an application. */
const NEVER: ReadonlySet<string> = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'blob',
  'about',
  'filesystem',
  'view-source',
  'http',
  'https',
]);
const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether the product may ever send a browser there: HTTPS, HTTP on this machine, and with `customSchemes` the schemes
 * of native applications (contract 00, SAML redirect URIs; contract 06 section 6.10).
 */
export function isRedirectUri(uri: string, customSchemes: boolean): boolean {
  if (!URI_TEXT.test(uri) || !URL.canParse(uri)) return false;
  const web = WEB_URI.exec(uri);
  if (web) return web[1]?.toLowerCase() === 'https' || LOOPBACK.test(new URL(uri).hostname);
  const scheme = SCHEME.exec(uri)?.[1]?.toLowerCase();
  return customSchemes && scheme !== undefined && !NEVER.has(scheme);
}

/** Of what is given. @throws Refusal naming the field with a URI that is none, or not allowed */
export function requireRedirectUris(redirectUris: readonly string[], defaultUri: string | undefined, customSchemes: boolean): void {
  if (defaultUri !== undefined && !isRedirectUri(defaultUri, customSchemes))
    throw new Refusal('field-invalid', { field: 'defaultRedirectURI' });
  if (!redirectUris.every((uri) => isRedirectUri(uri, customSchemes))) throw new Refusal('field-invalid', { field: 'redirectURIs' });
}

/** The redirect URI with the code, and any state (contract 06 section 2.5). */
export function withCode(redirectUri: string, code: string, state: string | null): string {
  return withParameters(redirectUri, state === null ? { code } : { code, state });
}

/** The URI with parameters behind its own query. Written as text, since a URL parser would rewrite deep links. */
export function withParameters(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  const hash = redirectUri.indexOf('#');
  const base = hash < 0 ? redirectUri : redirectUri.slice(0, hash);
  const fragment = hash < 0 ? '' : redirectUri.slice(hash);
  return `${base}${separatorBehind(base)}${new URLSearchParams(parameters).toString()}${fragment}`;
}

function separatorBehind(base: string): string {
  if (!base.includes('?')) return '?';
  return base.endsWith('?') || base.endsWith('&') ? '' : '&';
}
