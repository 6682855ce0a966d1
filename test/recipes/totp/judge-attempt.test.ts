import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Attempt, judgeAttempt, readHistory } from '../../../src/recipes/totp/judge-attempt.ts';
import { type TotpDevice, type UsedCodeRecord, usedCodes } from '../../../src/recipes/totp/records.ts';
import { openStore } from '../../../src/store/open-store.ts';

/*
 * What is decided from the few attempts that are read, against the rules of contract 05 section 4.2 applied to all attempts ever made.
 */

const device: TotpDevice = { name: 'd', secret: '', period: 1, skew: 0, verified: true, createdAt: 0 };

interface Step {
  readonly code: string;
  readonly right: boolean;
  readonly afterMs: number;
}

/** The rules read literally, over the whole history, newest first. */
function byTheLetter(all: readonly UsedCodeRecord[], { config, code, now, matching }: Attempt) {
  const most = config.totp_max_attempts;
  const cooldown = config.totp_rate_limit_cooldown_sec * 1000;
  const newest = all.slice(0, most);
  const firstRight = newest.findIndex((each) => each.code !== null);
  const run = firstRight < 0 ? newest : newest.slice(0, firstRight);
  const [latest] = run;
  let failures = latest ? run.filter((each) => each.createdAt > latest.createdAt - cooldown).length : 0;
  if (latest && failures === most) {
    if (now - latest.createdAt < cooldown)
      return { status: 'LIMIT_REACHED_ERROR', retryAfterMs: cooldown - (now - latest.createdAt), failures };
    failures = 0;
  }
  if (code.length > 8) return { status: 'INVALID_TOTP_ERROR', failures: failures + 1 };
  const isReplay = all.some((each) => each.code === code && each.expiresAt > now);
  return matching && !isReplay ? { status: 'OK' } : { status: 'INVALID_TOTP_ERROR', failures: failures + 1 };
}

const step = fc.record<Step>({
  code: fc.constantFrom('111111', '222222', '123456789'),
  right: fc.boolean(),
  afterMs: fc.constantFrom(1, 400, 999, 1000, 1001, 2500, 10_000),
});

test('the newest attempts and one look for the code are enough', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, most, cooldown) => {
        const store = await openStore({ engine: 'memory' });
        const config = { totp_max_attempts: most, totp_rate_limit_cooldown_sec: cooldown };
        const all: UsedCodeRecord[] = [];
        let now = 1_000_000;
        for (const { code, right, afterMs } of steps) {
          now += afterMs;
          const matching = right && code.length <= 8 ? device : undefined;
          const attempt: Attempt = { app: 1, tenant: 2, config, userId: 'u', code, now, candidates: [device], matching };
          const { verdict, kept } = await store.transact(async (tx) => {
            const judgement = judgeAttempt(attempt, await readHistory(tx, attempt));
            if (judgement.kept) await tx.insert(usedCodes, judgement.kept);
            return judgement;
          });
          const { failures, ...expected } = byTheLetter(all, attempt);
          expect(verdict).toMatchObject(failures === undefined ? expected : { ...expected, failedAttempts: failures });
          if (kept) all.unshift(kept);
          expect(kept === undefined).toBe(verdict.status === 'LIMIT_REACHED_ERROR' || code.length > 8);
        }
        await store.close();
      },
    ),
    { numRuns: 150 },
  );
});

test('the newest attempts are read, however many are kept', async () => {
  const store = await openStore({ engine: 'memory' });
  const config = { totp_max_attempts: 5, totp_rate_limit_cooldown_sec: 900 };
  await store.transact(async (tx) => {
    for (let at = 0; at < 2000; at++) {
      const code = at % 2 === 0 ? '111111' : null;
      await tx.insert(usedCodes, { app: 1, tenant: 2, userId: 'u', createdAt: at, code, expiresAt: 5000 + at, cleanAfter: 10_000 });
    }
  });
  const attempt: Attempt = { app: 1, tenant: 2, config, userId: 'u', code: '111111', now: 3000, candidates: [device], matching: device };
  const history = await store.read((reader) => readHistory(reader, attempt));
  expect(history.newest.map(({ createdAt }) => createdAt)).toEqual([1999, 1998, 1997, 1996, 1995]);
  expect(history.isReplay).toBe(true);
  expect((await store.read((reader) => readHistory(reader, { ...attempt, now: 7000 }))).isReplay).toBe(false);
  await store.close();
});
