import { EMPTY_OBJECT, type JsonText } from '../../json/free-form.ts';
import { isNullMember, membersOf, objectOf } from '../../json/members.ts';

/**
 * Merges at the top level only: a value replaces what stands under its name, null removes it, and what is further in is not looked at
 * (contract 05 section 3.2), not even read: megabytes of small values would hold the thread for seconds. Both texts hold objects, and so does the answer.
 */
export function mergeMetadata(stored: JsonText, update: JsonText): JsonText {
  if (stored === EMPTY_OBJECT && !update.includes(':null')) return update;
  const merged = membersOf(stored);
  for (const [name, member] of membersOf(update)) {
    if (isNullMember(name, member)) merged.delete(name);
    else merged.set(name, member);
  }
  return objectOf(merged);
}
