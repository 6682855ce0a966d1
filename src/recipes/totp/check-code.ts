import { matchesTotp } from '../../crypto/totp.ts';
import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { type Attempt, judgeAttempt, type Verdict } from './judge-attempt.ts';
import {
  type TenantTotpAttemptsRecord,
  type TotpAttemptsRecord,
  type TotpDevice,
  tenantTotpAttempts,
  totpAttempts,
  totpDevices,
} from './records.ts';
import { withTenantAttempts } from './tenant-attempts.ts';

export type Failure = Exclude<Verdict, { readonly status: 'OK' }>;

/** What is to be done about a code: an answer that needs no look at it, or the devices whose code it may be. */
export type Choice<R> = { readonly answer: R } | { readonly candidates: readonly TotpDevice[] };

/** How an endpoint checks a code. */
export interface CodeCheck<R> {
  readonly userId: string;
  readonly code: string;
  /** `devices`: all of the user; none for an unknown user. Asked again where they have changed. */
  choose(devices: readonly TotpDevice[]): Choice<R>;
  /** The answer to a right code. Writes in the same transaction; `devices` are those of the last `choose`. */
  accept(tx: Transaction, devices: readonly TotpDevice[]): MaybePromise<R>;
}

/**
 * Checks a code with rate limit and replay protection (contract 05 section 4.2). The codes of the devices are computed
 * before the transaction, in which rivals of the same user cannot overlap. It reads the devices again and computes the
 * codes of new ones only, so that a change of devices does not make the check start again.
 */
export async function checkCode<R>(context: Context, check: CodeCheck<R>): Promise<R | Failure> {
  const { store, tenant } = context;
  const { userId, code } = check;
  const { app, config } = tenant;
  const ownDevices = { collection: totpDevices, key: [app, userId] } as const;
  const ownAttempts = { collection: totpAttempts, key: [app, userId] } as const;
  const ofThisTenant = { collection: tenantTotpAttempts, key: [app, tenant.tenant, userId] } as const;
  const now = context.now();
  const matches = rememberedMatches(code, now);
  const [seen] = await store.read((reader) => reader.getMany([ownDevices]));
  const first = check.choose(seen?.devices ?? []);
  if ('answer' in first) return first.answer;
  first.candidates.forEach(matches);
  // Without a promise where the store answers at once, which spares the transaction a snapshot of its own.
  return store.transact((tx) =>
    whenReady(tx.getMany([ownDevices, ownAttempts, ofThisTenant]), ([current, own, ofTenant]): MaybePromise<R | Failure> => {
      const devices = current?.devices ?? [];
      const choice = check.choose(devices);
      if ('answer' in choice) return choice.answer;
      const { candidates } = choice;
      // Those before it in the store were made before: the clock is read now.
      const tried: Attempt = { app, config, userId, code, now: context.now(), candidates, matching: candidates.find(matches) };
      const { verdict, kept } = judgeAttempt(tried, withTenantAttempts(own, ofTenant));
      const written = allReady([kept && keep(tx, kept, ofTenant), kept && isLast(verdict) ? recordLimit(tx, context, userId) : undefined]);
      return whenReady(written, () => (verdict.status === 'OK' ? check.accept(tx, devices) : verdict));
    }),
  );
}

/** Whether this was the failure after which no code is looked at for a while. */
const isLast = (verdict: Verdict): boolean => verdict.status === 'INVALID_TOTP_ERROR' && verdict.failedAttempts >= verdict.maxAttempts;

const recordLimit = (tx: Transaction, context: Context, userId: string): MaybePromise<void> =>
  recordEvent(tx, context, 'sign-in.blocked', { userId, details: { by: 'totp' } });

/** Keeps an attempt, in its record also what was kept for the tenant alone. */
function keep(tx: Transaction, kept: TotpAttemptsRecord, ofTenant: TenantTotpAttemptsRecord | undefined): MaybePromise<unknown> {
  const written = tx.put(totpAttempts, kept);
  return ofTenant ? Promise.all([written, tx.delete(tenantTotpAttempts, tenantTotpAttempts.key(ofTenant))]) : written;
}

/** Whether the code is a device's, computed once per secret and timing; names and states play no part. */
function rememberedMatches(code: string, now: number): (device: TotpDevice) => boolean {
  const known = new Map<string, boolean>();
  return (device) => {
    const maker = `${device.secret} ${device.period} ${device.skew}`;
    const isRight = known.get(maker) ?? matchesTotp(device, code, now);
    known.set(maker, isRight);
    return isRight;
  };
}
