import { LIMITS } from '../../config/limits.ts';

/**
 * What may stand after an `@`: exactly what the reference's `(?:[0-9{},.]|(?:[a-zA-Z0-9-]+.)+[a-zA-Z]{2,})` matches
 * (contract 05 section 5.1). Its unescaped dot fits any character, so a backtracking engine may try exponentially many
 * ways to divide a text. Here words and separators share no character, which leaves one way: either words that each end
 * in a separator, then two or three letters; or any number of them, then four or more characters ending in two letters.
 */
const DOMAIN =
  /^(?:[0-9{},.]|(?:[a-zA-Z0-9-]+[^a-zA-Z0-9\-\n\r\u2028\u2029])+[a-zA-Z]{2,3}|(?:[a-zA-Z0-9-]+[^a-zA-Z0-9\-\n\r\u2028\u2029])*[a-zA-Z0-9-]{2,}[a-zA-Z]{2})$/;

const LINE_BREAK = /[\n\r\u2028\u2029]/;

/** Whether the reference takes this text, trimmed and in lower case, for the email of a dashboard user. */
export function isDashboardEmail(email: string): boolean {
  if (email.length > LIMITS.dashboardEmailLength || LINE_BREAK.test(email)) return false;
  for (let at = email.indexOf('@', 1); at >= 0; at = email.indexOf('@', at + 1)) if (DOMAIN.test(email.slice(at + 1))) return true;
  return false;
}
