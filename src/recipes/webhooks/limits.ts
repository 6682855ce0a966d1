import { HOUR_MS } from '../recipe.ts';

/** Of one app: each costs a look a second. */
export const MOST_WEBHOOKS = 50;
/** Kinds that one names. */
export const MOST_KINDS = 100;
export const MOST_DESCRIPTION_CHARS = 256;

/** Messages that wait for one webhook. Where there are so many, no more are taken from the trail, which keeps them. */
export const MOST_QUEUED = 1_000;
/** Messages that were given up, for one webhook; of more, the oldest are forgotten. */
export const MOST_DEAD = 1_000;
/** Attempts that are remembered of a webhook. */
export const MOST_ATTEMPTS = 50;

/** Attempts under way for one webhook, and webhooks that are served at once: 128 attempts at most in all. */
export const ATTEMPTS_AT_ONCE = 8;
export const WEBHOOKS_AT_ONCE = 16;
/** Messages in one transaction. */
export const BATCH = 200;
/** How long a batch begins attempts; with the last one's time this bounds what a kill lets be sent twice. */
export const BATCH_MS = 2_000;

/** So many messages failed in a row at their first attempt: the target is away. */
export const AWAY_AFTER = 10;
/** From its first attempt on a message is tried for so long; a target that is away for so long is disabled. */
export const GIVE_UP_MS = 72 * HOUR_MS;
/** How long the secret before the newest still signs. */
export const OVERLAP_MS = 24 * HOUR_MS;
export const MOST_OVERLAP_MS = 30 * 24 * HOUR_MS;
