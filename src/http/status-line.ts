import { STATUS_CODES } from 'node:http';

const LINES: ReadonlyMap<number, string> = new Map(Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), `${code} ${text}`]));

/** Status and reason phrase, as the status line has them. */
export function statusLine(status: number): string {
  return LINES.get(status) ?? `${status} Unknown`;
}
