/** U+0020: it and what lies below are what Java's trim() removes. */
const SPACE = 0x20;

/** Removes leading and trailing characters up to U+0020, and no other kind of space (contract 03 section 1.2). */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  // By hand, since an expression for the blanks at the end takes time in the square of the blanks before it.
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return text.slice(start, end);
}

/** The form in which emails are kept and compared: trimmed and lower-cased, never checked for syntax (contract 03 section 1.2). */
export function normaliseEmail(email: string): string {
  return trimBlanks(email).toLowerCase();
}
