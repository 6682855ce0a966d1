import { Refusal } from '../recipes/refusal.ts';

/** A path without anything that normalising could change. */
const IS_PLAIN = /^(?:\/[a-z0-9_~-][a-z0-9._~-]*)*\/?$/;
const FORBIDDEN_RAW = /[{}|"[\]\\^<>` ]|%2f|%5c/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
// oxlint-disable-next-line no-control-regex
const FORBIDDEN_DECODED = /[\u0000-\u001f\u007f]/;

/**
 * The path that a request names (contract 01 section 2.1): case kept, no parameters (`;x`), percent-decoded as UTF-8,
 * repeated slashes collapsed, `.` and `..` resolved. Refuses encoded slashes, illegal characters, leaving the root.
 */
export function normalisePath(raw: string): string {
  if (IS_PLAIN.test(raw)) return raw;
  if (FORBIDDEN_RAW.test(raw) || !raw.startsWith('/')) throw new Refusal('path-invalid');
  const path = decodePath(raw.replace(/;[^/]*/g, ''));
  if (FORBIDDEN_DECODED.test(path)) throw new Refusal('path-invalid');
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) throw new Refusal('path-invalid');
  }
  const ending = segments.length > 0 && /\/\.{0,2}$/.test(path) ? '/' : '';
  return `/${segments.join('/')}${ending}`;
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Refusal('path-invalid');
  }
}
