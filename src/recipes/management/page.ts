import { LIMITS } from '../../config/limits.ts';
import { cursorIn, cursorText, type PageRange } from '../../store/pages.ts';
import type { Cursor } from '../../store/store.ts';
import { Refusal } from '../refusal.ts';

const DEFAULT_LIMIT = 100;

/** How lists are asked for. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly paginationToken?: string | undefined;
}

/** The page that a caller asks for. @throws Refusal */
export function pageRange({ limit = DEFAULT_LIMIT, paginationToken }: PageQuery): PageRange {
  if (limit < 1 || limit > LIMITS.usersPage) throw new Refusal('bad-input', { text: `limit must be between 1 and ${LIMITS.usersPage}` });
  return paginationToken === undefined ? { limit } : { limit, at: cursorIn(paginationToken) };
}

/** Whence the next page is asked for, unless this was the last. */
export const nextToken = (next: Cursor | undefined): string | undefined => next && cursorText(next);
