import { Refusal } from '../recipes/refusal.ts';

const NEEDS_DECODING = /[%+]/;

/**
 * Reads `application/x-www-form-urlencoded` text in UTF-8: the first of a name wins; a name without `=` is the empty
 * text (contract 01 section 2.1). A malformed escape is refused.
 */
export function readQuery(text: string): { readonly [name: string]: string } {
  const members: { [name: string]: string } = Object.create(null);
  if (text === '') return members;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    members[name] ??= equals < 0 ? '' : decode(pair.slice(equals + 1));
  }
  return members;
}

function decode(text: string): string {
  if (!NEEDS_DECODING.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal('query-malformed');
  }
}
