import type { Config } from '../../config/config.ts';
import type { TotpAttemptsRecord, TotpDevice } from './records.ts';

type Pace = Pick<Config, 'totp_max_attempts' | 'totp_rate_limit_cooldown_sec'>;

/** A code and who tries it where. */
export interface Attempt {
  readonly app: number;
  readonly tenant: number;
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

/** How long failures of a tenant's users count, ms. */
export const cooldownMs = (config: Pace): number => config.totp_rate_limit_cooldown_sec * 1000;

/**
 * Decides about an attempt, by what earlier ones left behind (contract 05 section 4.2). The limit comes first: whoever has reached it
 * learns nothing about the code.
 */
export function judgeAttempt(attempt: Attempt, earlier: TotpAttemptsRecord | undefined): Judgement {
  const { config, code, now, matching } = attempt;
  const maxAttempts = config.totp_max_attempts;
  const cooldown = cooldownMs(config);
  const failures = countingFailures(earlier?.failures ?? [], cooldown);
  const before = Math.min(failures.length, maxAttempts);
  // A failure may stand in the future, when the clock was set back.
  const age = Math.max(0, now - (failures[0] ?? 0));
  if (before === maxAttempts && age < cooldown) {
    const retryAfterMs = cooldown - age;
    return { verdict: { status: 'LIMIT_REACHED_ERROR', retryAfterMs, failedAttempts: before, maxAttempts }, kept: undefined };
  }
  const failedAttempts = (before === maxAttempts ? 0 : before) + 1;
  const invalid: Verdict = { status: 'INVALID_TOTP_ERROR', failedAttempts, maxAttempts };
  if (code.length > LONGEST_CODE) return { verdict: invalid, kept: undefined };
  const uses = (earlier?.uses ?? []).filter((use) => use.expiresAt > now);
  const isRight = matching !== undefined && uses.every((use) => use.code !== code);
  const expiresAt = now + lifeMs(attempt);
  const left = isRight
    ? { failures: [], uses: [...uses, { code, expiresAt }] }
    : { failures: countingFailures([Math.max(now, failures[0] ?? 0), ...failures], cooldown), uses };
  return { verdict: isRight ? { status: 'OK' } : invalid, kept: toKeep(attempt, left, Math.max(expiresAt, earlier?.expiresAt ?? 0)) };
}

/** The failures within one cool-down that ends with the newest of them. */
function countingFailures(failures: readonly number[], cooldown: number): readonly number[] {
  const since = (failures[0] ?? 0) - cooldown;
  return failures.filter((at) => at > since);
}

/** How long the code could be right: all steps of the device that made it, or of any that may have. */
function lifeMs({ candidates, matching }: Attempt): number {
  return Math.max(0, ...(matching ? [matching] : candidates).map(({ period, skew }) => period * (2 * skew + 1) * 1000));
}

function toKeep(
  { app, tenant, userId, config }: Attempt,
  left: Pick<TotpAttemptsRecord, 'failures' | 'uses'>,
  expiresAt: number,
): TotpAttemptsRecord {
  return { app, tenant, userId, ...left, expiresAt, cleanAfter: expiresAt + cooldownMs(config) };
}
