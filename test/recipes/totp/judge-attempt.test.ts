import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Attempt, judgeAttempt } from '../../../src/recipes/totp/judge-attempt.ts';
import type { TotpAttemptsRecord, TotpDevice } from '../../../src/recipes/totp/records.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_261_121 });

/*
 * What is decided from the little that is kept, against the rules of contract 05 section 4.2 read literally over all attempts ever made.
 */

const PERIOD_MS = 3000;
const device: TotpDevice = { name: 'd', secret: '', period: 1, skew: 1, verified: true, createdAt: 0 };

/** An attempt as the contract keeps it. */
interface Row {
  readonly code: string;
  readonly isValid: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface Step {
  readonly code: string;
  readonly right: boolean;
  readonly afterMs: number;
  /** `totp_max_attempts` from here on. */
  readonly most: number;
}

/** `all`: newest first. */
function byTheLetter(all: readonly Row[], { config, code, now, matching }: Attempt) {
  const most = config.totp_max_attempts;
  const cooldown = config.totp_rate_limit_cooldown_sec * 1000;
  const newest = all.slice(0, most);
  const firstRight = newest.findIndex((row) => row.isValid);
  const run = firstRight < 0 ? newest : newest.slice(0, firstRight);
  const [latest] = run;
  let failures = latest ? run.filter((row) => row.createdAt > latest.createdAt - cooldown).length : 0;
  if (latest && failures === most) {
    const retryAfterMs = cooldown - (now - latest.createdAt);
    if (retryAfterMs > 0) return { status: 'LIMIT_REACHED_ERROR', retryAfterMs, failedAttempts: failures, maxAttempts: most };
    failures = 0;
  }
  const invalid = { status: 'INVALID_TOTP_ERROR', failedAttempts: failures + 1, maxAttempts: most };
  if (code.length > 8) return invalid;
  const isReplay = all.some((row) => row.isValid && row.code === code && row.expiresAt > now);
  return matching && !isReplay ? { status: 'OK' } : invalid;
}

const step = fc.record<Step>({
  code: fc.constantFrom('111111', '222222', '123456789'),
  right: fc.boolean(),
  afterMs: fc.constantFrom(1, 400, 999, 1000, 1001, 2500, 10_000),
  most: fc.constantFrom(1, 2, 3, 3, 3, 4),
});

test('what is kept decides as the whole history does, also when the number of attempts is changed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, cooldown) => {
      const all: Row[] = [];
      let earlier: TotpAttemptsRecord | undefined;
      let now = 1_000_000;
      for (const { code, right, afterMs, most } of steps) {
        now += afterMs;
        const config = { totp_max_attempts: most, totp_rate_limit_cooldown_sec: cooldown };
        const matching = right && code.length <= 8 ? device : undefined;
        const attempt: Attempt = { app: 1, tenant: 2, config, userId: 'u', code, now, candidates: [device], matching };
        const expected = byTheLetter(all, attempt);
        const { verdict, kept } = judgeAttempt(attempt, earlier);
        expect(verdict).toEqual(expected);
        expect(kept === undefined).toBe(verdict.status === 'LIMIT_REACHED_ERROR' || code.length > 8);
        if (kept) all.unshift({ code, isValid: verdict.status === 'OK', createdAt: now, expiresAt: now + PERIOD_MS });
        earlier = kept ?? earlier;
      }
    }),
    { numRuns: 2000 },
  );
});

test('little is kept, however many attempts there are', () => {
  const config = { totp_max_attempts: 5, totp_rate_limit_cooldown_sec: 900 };
  let kept: TotpAttemptsRecord | undefined;
  for (let at = 0; at < 5000; at++) {
    const now = 1_000_000 + at * 200_000;
    const matching = at % 100 === 0 ? device : undefined;
    const code = String(at).padStart(6, '0');
    kept = judgeAttempt({ app: 1, tenant: 2, config, userId: 'u', code, now, candidates: [device], matching }, kept).kept ?? kept;
  }
  expect(kept?.failures.length).toBeLessThanOrEqual(5);
  expect(kept?.uses.length).toBeLessThanOrEqual(1);
  expect(kept?.cleanAfter).toBe((kept?.expiresAt ?? 0) + 900_000);
});
