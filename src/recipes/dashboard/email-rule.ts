import { LIMITS } from '../../config/limits.ts';

/**
 * What may stand after an `@`, exactly what the reference's pattern `(?:[0-9{},.]|(?:[a-zA-Z0-9-]+.)+[a-zA-Z]{2,})` matches (contract 05
 * section 5.1). Its unescaped dot, which any character fits, lets a backtracking engine try exponentially many ways to divide a text. Here
 * words and what separates them share no character, so that there is one way: either words that end in a separator each and then two or
 * three letters, or any number of them and then four or more characters of which the last two are letters.
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
