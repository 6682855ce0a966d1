// The rule reaches for control characters on purpose: they are what Java's trim() removes.
// oxlint-disable-next-line no-control-regex
const BLANKS_AT_THE_ENDS = /^[\u0000-\u0020]+|[\u0000-\u0020]+$/g;

/** Removes leading and trailing characters up to U+0020, and no other kind of space (contract 03 section 1.2). */
export function trimBlanks(text: string): string {
  return text.replace(BLANKS_AT_THE_ENDS, '');
}

/** The form in which emails are kept and compared: trimmed and lower-cased, never checked for syntax (contract 03 section 1.2). */
export function normaliseEmail(email: string): string {
  return trimBlanks(email).toLowerCase();
}
