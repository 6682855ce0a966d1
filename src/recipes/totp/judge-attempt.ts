import type { Config } from '../../config/config.ts';
import { LIMITS } from '../../config/limits.ts';
import type { AppNumber } from '../../store/store.ts';
import type { TotpAttemptsRecord, TotpDevice } from './records.ts';

/** How many wrong codes are allowed, and how long a pause they make. */
export type Pace = Pick<Config, 'totp_max_attempts' | 'totp_rate_limit_cooldown_sec'>;

/** A code and who tries it. */
export interface Attempt {
  readonly app: AppNumber;
  /** That of the tenant in which it is made. */
  readonly config: Pace;
  readonly userId: string;
  readonly code: string;
  /** ms since the epoch. */
  readonly now: number;
  /** The devices whose code it may be, and the one whose code it is. */
  readonly candidates: readonly TotpDevice[];
  readonly matching: TotpDevice | undefined;
}

interface Counts {
  readonly failedAttempts: number;
  readonly maxAttempts: number;
}

export type Verdict =
  | { readonly status: 'OK' }
  | ({ readonly status: 'INVALID_TOTP_ERROR' } & Counts)
  | ({ readonly status: 'LIMIT_REACHED_ERROR'; readonly retryAfterMs: number } & Counts);

/** A verdict, and what is to be kept from now on; nothing where what was kept stays. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly kept: TotpAttemptsRecord | undefined;
}

/** Longer codes are not kept, so that they never lead to the limit (contract 05 section 4.2 step 4). */
const LONGEST_CODE = 8;

/** What earlier attempts left behind, in whichever tenants. */
export type Earlier = Pick<TotpAttemptsRecord, 'failures' | 'uses' | 'cleanAfter'>;

const NOTHING: Earlier = { failures: [], uses: [], cleanAfter: 0 };

/** Failures are kept so long (ms) however short a tenant's cool-down is: another tenant's may be longer. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Judges an attempt by earlier ones in all tenants of the app, with this tenant's limit and cool-down
 * (contract 05 section 4.2). The limit comes first: whoever has reached it learns nothing about the code.
 */
export function judgeAttempt(attempt: Attempt, { failures, uses, cleanAfter }: Earlier = NOTHING): Judgement {
  const { app, userId, config, code, now, candidates, matching } = attempt;
  const maxAttempts = config.totp_max_attempts;
  const cooldown = config.totp_rate_limit_cooldown_sec * 1000;
  // A failure in the future was kept before the clock was set back; moved to now, it lasts one cool-down at most.
  const past = failures.map((at) => Math.min(at, now));
  const before = Math.min(maxAttempts, countingFailures(past, cooldown));
  const retryAfterMs = pauseLeft(past, config, now);
  if (retryAfterMs > 0) {
    const wasSetBack = past[0] !== failures[0];
    return {
      verdict: { status: 'LIMIT_REACHED_ERROR', retryAfterMs, failedAttempts: before, maxAttempts },
      kept: wasSetBack ? { app, userId, failures: past, uses, cleanAfter } : undefined,
    };
  }
  const failedAttempts = (before === maxAttempts ? 0 : before) + 1;
  const invalid: Verdict = { status: 'INVALID_TOTP_ERROR', failedAttempts, maxAttempts };
  if (code.length > LONGEST_CODE) return { verdict: invalid, kept: undefined };
  const live = uses.filter((use) => use.expiresAt > now);
  const isRight = matching !== undefined && live.every((use) => use.code !== code);
  const expiresAt = now + lifeMs(matching ? [matching] : candidates);
  const left = isRight
    ? { failures: [], uses: [...live, { code, expiresAt }] }
    : // Never fewer than there were: attempts where few are allowed would take away what counts where many are.
      { failures: [now, ...past].slice(0, Math.max(LIMITS.totpFailures, maxAttempts, past.length)), uses: live };
  const kept = { app, userId, ...left, cleanAfter: Math.max(cleanAfter, expiresAt + Math.max(cooldown, KEPT_MS)) };
  return { verdict: isRight ? { status: 'OK' } : invalid, kept };
}

/** For how many ms after these failures, newest first, no attempt is judged; 0 or less: the next one is. */
export function pauseLeft(failures: readonly number[], pace: Pace, now: number): number {
  const cooldown = pace.totp_rate_limit_cooldown_sec * 1000;
  const isReached = countingFailures(failures, cooldown) >= pace.totp_max_attempts;
  return isReached ? cooldown - (now - Math.min(failures[0] ?? 0, now)) : 0;
}

/** How many failures lie within one cool-down that ends with the newest of them. */
function countingFailures(failures: readonly number[], cooldown: number): number {
  const since = (failures[0] ?? 0) - cooldown;
  return failures.filter((at) => at > since).length;
}

/** How long the code could be right: all steps of the device that made it, or of any that may have. */
function lifeMs(devices: readonly TotpDevice[]): number {
  return Math.max(0, ...devices.map(({ period, skew }) => period * (2 * skew + 1) * 1000));
}
