import { LIMITS } from '../../config/limits.ts';
import type { JsonText } from '../../json/free-form.ts';
import { isNullMember, type MemberTexts, membersOf, objectOf } from '../../json/members.ts';

/** What an update leaves behind. */
export interface MergedMetadata {
  readonly text: JsonText;
  /** What is wrong with its size: then it must not be kept. */
  readonly complaint: string | undefined;
}

/**
 * Merges JSON objects at the top level only (contract 05 section 3.2): a value replaces what its name held, null
 * removes it. What lies deeper is not even read: megabytes of small values would hold the thread for seconds.
 */
export function mergeMetadata(stored: JsonText, update: JsonText): MergedMetadata {
  const merged = membersOf(stored);
  const before = merged.size;
  for (const [name, member] of membersOf(update)) {
    if (isNullMember(name, member)) merged.delete(name);
    else merged.set(name, member);
  }
  const text = objectOf(merged);
  return { text, complaint: memberComplaint(merged, before) ?? byteComplaint(text, stored) };
}

/** What is wrong with the size of metadata that take the place of others. */
export function replacementComplaint(stored: JsonText, text: JsonText): string | undefined {
  return memberComplaint(membersOf(text), membersOf(stored).size) ?? byteComplaint(text, stored);
}

/** Only what grows is too large: what was kept before a limit was lowered can still be changed and removed. */
function memberComplaint({ size }: MemberTexts, before: number): string | undefined {
  const most = LIMITS.metadataMembers;
  return size > Math.max(most, before) ? `The metadata of a user must not have more than ${most} names` : undefined;
}

function byteComplaint(text: JsonText, stored: JsonText): string | undefined {
  const most = LIMITS.metadataBytes;
  const isFine = text.length <= stored.length || Buffer.byteLength(text) <= most;
  return isFine ? undefined : `The metadata of a user must not be larger than ${most} bytes`;
}
