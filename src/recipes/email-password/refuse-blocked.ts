import type { Services } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** What callers are told of a password that `password_blocklist` has. */
export const BLOCKED_PASSWORD_TEXT = 'This password is too common';

/** For passwords that somebody chooses now, not for those that users are moved in with. @throws Refusal */
export function refuseBlocked({ isBlockedPassword }: Pick<Services, 'isBlockedPassword'>, password: string): void {
  if (isBlockedPassword(password)) throw new Refusal('bad-input', { text: BLOCKED_PASSWORD_TEXT });
}
