import { matchesTotp } from '../../crypto/totp.ts';
import { type MaybePromise, type Transaction, whenReady } from '../../store/store.ts';
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
  /** `devices`: all of the user; none for an unknown user. */
  choose(devices: readonly TotpDevice[]): Choice<R>;
  /** The answer to a right code; writes what follows from it in the same transaction, in which the devices are those of `choose`. */
  accept(tx: Transaction, devices: readonly TotpDevice[]): MaybePromise<R>;
}

/** How often a check starts again because the user's devices changed meanwhile. */
const ATTEMPTS = 10;

/**
 * Checks a code with rate limit and replay protection (contract 05 section 4.2). The devices are read and their codes computed first; then
 * one transaction, which rivals of the same user cannot overlap, looks at the devices again, judges and keeps the attempt.
 */
export async function checkCode<R>(context: Context, check: CodeCheck<R>): Promise<R | Failure> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = await attemptCheck(context, check);
    if (outcome !== 'stale') return outcome.result;
  }
  throw new Error("the user's devices changed during every attempt to check a code");
}

async function attemptCheck<R>(context: Context, check: CodeCheck<R>): Promise<{ readonly result: R | Failure } | 'stale'> {
  const { store, tenant } = context;
  const { userId, code } = check;
  const { app, config } = tenant;
  const ownDevices = { collection: totpDevices, key: [app, userId] };
  const ownAttempts = { collection: totpAttempts, key: [app, userId] };
  const ofThisTenant = { collection: tenantTotpAttempts, key: [app, tenant.tenant, userId] };
  const [seen] = await store.read((reader) => reader.getMany([ownDevices]));
  const devices = seen?.devices ?? [];
  const choice = check.choose(devices);
  if ('answer' in choice) return { result: choice.answer };
  const { candidates } = choice;
  const now = context.now();
  const matching = candidates.find((device) => matchesTotp(device, code, now));
  // Without a promise where the store answers at once, which spares the transaction a snapshot of its own.
  return store.transact((tx) =>
    whenReady(tx.getMany([ownDevices, ownAttempts, ofThisTenant]), ([current, own, ofTenant]) => {
      if (!areSame(current?.devices ?? [], devices)) return 'stale';
      // Those before it in the store were made before: the clock is read now.
      const tried: Attempt = { app, config, userId, code, now: context.now(), candidates, matching };
      const { verdict, kept } = judgeAttempt(tried, withTenantAttempts(own, ofTenant));
      return whenReady(kept && keep(tx, kept, ofTenant), () =>
        whenReady(verdict.status === 'OK' ? check.accept(tx, devices) : verdict, (result) => ({ result })),
      );
    }),
  );
}

/** Keeps an attempt, in its record also what was kept for the tenant alone. */
function keep(tx: Transaction, kept: TotpAttemptsRecord, ofTenant: TenantTotpAttemptsRecord | undefined): MaybePromise<unknown> {
  const written = tx.put(totpAttempts, kept);
  return ofTenant ? Promise.all([written, tx.delete(tenantTotpAttempts, tenantTotpAttempts.key(ofTenant))]) : written;
}

/** Whether the lists hold the same devices in the same state. */
function areSame(some: readonly TotpDevice[], others: readonly TotpDevice[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
