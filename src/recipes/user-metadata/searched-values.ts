import type { JsonText } from '../../json/free-form.ts';
import { membersOf } from '../../json/members.ts';
import type { SearchedValue } from './records.ts';

/** Longer texts are not searched: they would make the records as much longer. */
export const LONGEST_SEARCHED = 256;

/** The values under these names at the top level of metadata, as searches give them; not lists, objects and null. */
export function searchedIn(metadata: JsonText, keys: readonly string[]): readonly SearchedValue[] | undefined {
  if (keys.length === 0) return undefined;
  const members = membersOf(metadata);
  const found = keys.flatMap((key): SearchedValue[] => {
    const name = JSON.stringify(key);
    const value = valueText(members.get(name)?.slice(name.length + 1));
    return value === undefined || value.length > LONGEST_SEARCHED ? [] : [[key, value]];
  });
  return found.length === 0 ? undefined : found;
}

const INTEGER = /^-?[0-9]+$/;

/** A text as it is, a boolean by its name, a number as short as it can be written. */
function valueText(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null' || json.startsWith('{') || json.startsWith('[')) return undefined;
  if (json.startsWith('"') || json === 'true' || json === 'false') return String(JSON.parse(json));
  return String(INTEGER.test(json) ? BigInt(json) : Number(json));
}
