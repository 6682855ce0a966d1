import type { Config } from '../../config/config.ts';
import { type MaybePromise, type Reader, whenReady } from '../../store/store.ts';
import { codePlace, type TotpDevice, type UsedCodeRecord, usedCodes } from './records.ts';

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

/** What earlier attempts tell about one. */
export interface AttemptHistory {
  /** The newest attempts of the user in the tenant, newest first, as many as may fail in a row. */
  readonly newest: readonly UsedCodeRecord[];
  /** Whether the code was taken before and has not expired. */
  readonly isReplay: boolean;
}

interface Counts {
  readonly failedAttempts: number;
  readonly maxAttempts: number;
}

export type Verdict =
  | { readonly status: 'OK' }
  | ({ readonly status: 'INVALID_TOTP_ERROR' } & Counts)
  | ({ readonly status: 'LIMIT_REACHED_ERROR'; readonly retryAfterMs: number } & Counts);

/** A verdict and the attempt as it is to be kept, if at all. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly kept: UsedCodeRecord | undefined;
}

/** Longer codes are not kept, so that they never lead to the limit (contract 05 section 4.2 step 4). */
const LONGEST_CODE = 8;

/** How long failures of a tenant's users count, ms. */
export const cooldownMs = (config: Pace): number => config.totp_rate_limit_cooldown_sec * 1000;

/**
 * Reads what `judgeAttempt` needs, however much is stored: the rate limit only looks at the newest attempts, as many as may fail in a row
 * (contract 05 section 4.2 steps 1 to 3), and the replay check only at one right use of this very code that expires last (step 5).
 */
export function readHistory(reader: Reader, { app, tenant, config, userId, code, now, matching }: Attempt): MaybePromise<AttemptHistory> {
  const place = codePlace({ app, tenant, userId, code });
  const newest = reader.list(usedCodes, undefined, { prefix: [app, tenant, userId], limit: config.totp_max_attempts, reverse: true });
  const uses = matching ? reader.keys(usedCodes, 'byUser', { prefix: place, from: [...place, now + 1], limit: 1 }) : [];
  return whenReady(newest, (attempts) => whenReady(uses, ({ length }) => ({ newest: attempts, isReplay: length > 0 })));
}

/** Decides about an attempt (contract 05 section 4.2). The limit comes first: whoever has reached it learns nothing about the code. */
export function judgeAttempt(attempt: Attempt, { newest, isReplay }: AttemptHistory): Judgement {
  const { config, code, now, matching } = attempt;
  const maxAttempts = config.totp_max_attempts;
  const cooldown = cooldownMs(config);
  const latest = newest[0];
  const before = countFailures(newest, cooldown);
  const isAtLimit = latest !== undefined && before >= maxAttempts;
  // An attempt may stand in the future: times are made distinct, and clocks are set back.
  const age = latest ? Math.max(0, now - latest.createdAt) : 0;
  if (isAtLimit && age < cooldown) {
    const retryAfterMs = cooldown - age;
    return { verdict: { status: 'LIMIT_REACHED_ERROR', retryAfterMs, failedAttempts: before, maxAttempts }, kept: undefined };
  }
  const failedAttempts = (isAtLimit ? 0 : before) + 1;
  const invalid: Verdict = { status: 'INVALID_TOTP_ERROR', failedAttempts, maxAttempts };
  if (code.length > LONGEST_CODE) return { verdict: invalid, kept: undefined };
  const isRight = matching !== undefined && !isReplay;
  return { verdict: isRight ? { status: 'OK' } : invalid, kept: toKeep(attempt, isRight, latest) };
}

/** The failures at the head of the list within one cool-down that ends with the newest of them. */
function countFailures(newest: readonly UsedCodeRecord[], cooldown: number): number {
  const since = (newest[0]?.createdAt ?? 0) - cooldown;
  const end = newest.findIndex((each) => each.code !== null || each.createdAt <= since);
  return end < 0 ? newest.length : end;
}

function toKeep(attempt: Attempt, isRight: boolean, latest: UsedCodeRecord | undefined): UsedCodeRecord {
  const { app, tenant, userId, code, now, candidates, matching } = attempt;
  const life = Math.max(0, ...(matching ? [matching] : candidates).map(({ period, skew }) => period * (2 * skew + 1) * 1000));
  const createdAt = latest && latest.createdAt >= now ? latest.createdAt + 1 : now;
  const expiresAt = now + life;
  return { app, tenant, userId, createdAt, code: isRight ? code : null, expiresAt, cleanAfter: expiresAt + cooldownMs(attempt.config) };
}
