import { sha256Hex } from '../../crypto/digests.ts';
import type { Read, Store, Transaction } from '../../store/store.ts';
import type { Context, Tenant } from '../context.ts';
import type { LoginMethodRecord } from '../users/login-methods.ts';
import { type SignInFailuresRecord, signInFailures } from './records.ts';

/*
 * Limits of failed password sign-ins, per account and per address of the end user. They slide over two windows: the failures of the
 * present one count in full, those of the one before by the part of it that lies within one length of now. An attempt is counted before
 * the password is looked at, so that a crowd of attempts at once passes no more than one after the other would, and taken back when it
 * turns out to be none. Attempts over a limit are not counted: who waits for a window gets in again.
 */

type FailuresKey = readonly [app: number, tenant: number, subject: string];

/** What an attempt counts against. */
interface Limit {
  readonly key: FailuresKey;
  readonly most: number;
  /** A right password forgets the failures of an account; an address keeps those of other accounts. */
  readonly endsWithSuccess: boolean;
}

/** An attempt that was let through. */
interface Attempt {
  readonly limits: readonly Limit[];
  readonly windowMs: number;
  readonly at: number;
}

/**
 * Runs `check` unless the account or the address had too many failures lately: then nothing is checked and the answer is `undefined`. Who
 * has no account is counted alike. Without a configured limit the store is not asked. A check that throws was no attempt.
 */
export async function withinFailureLimits<R extends { readonly status: string }>(
  context: Context,
  email: string,
  check: () => Promise<R>,
): Promise<R | undefined> {
  const { store, tenant, now } = context;
  const limits = limitsOf(context, email);
  if (limits.length === 0) return check();
  const attempt = { limits, windowMs: tenant.config.sign_in_failure_window_ms, at: now() };
  if (!(await store.transact((tx) => count(tx, attempt)))) return undefined;
  let result: R;
  try {
    result = await check();
  } catch (error) {
    await takeBack(store, attempt).catch(() => {
      // What went wrong first is what the caller must learn; the attempt ages away.
    });
    throw error;
  }
  if (result.status === 'OK') await settle(store, attempt);
  return result;
}

function limitsOf({ tenant, endUserAddress }: Context, email: string): Limit[] {
  const { sign_in_failures_per_account: perAccount, sign_in_failures_per_address: perAddress } = tenant.config;
  const limits: Limit[] = [];
  if (perAccount > 0) limits.push({ key: keyOf(tenant, 'account', email), most: perAccount, endsWithSuccess: true });
  if (perAddress > 0 && endUserAddress !== undefined) {
    limits.push({ key: keyOf(tenant, 'address', placeOf(endUserAddress)), most: perAddress, endsWithSuccess: false });
  }
  return limits;
}

const keyOf = ({ app, tenant }: Tenant, kind: 'account' | 'address', subject: string): FailuresKey => [
  app,
  tenant,
  sha256Hex(`${kind} ${subject}`),
];

/** Forgets the failures of an account in every tenant of it that limits them: who has just set a new password need not wait for a window. */
export async function forgetFailures(
  { store, directory, tenant: { app, cud, appId } }: Context,
  { tenants, email }: Pick<LoginMethodRecord, 'tenants' | 'email'>,
): Promise<void> {
  const keys: FailuresKey[] = [];
  for (const number of tenants) {
    const tenantId = await directory.tenantIdOf(app, number);
    const tenant = tenantId === undefined ? undefined : await directory.find({ cud, appId, tenantId });
    if (tenant && email !== null && tenant.config.sign_in_failures_per_account > 0) keys.push(keyOf(tenant, 'account', email));
  }
  if (keys.length === 0) return;
  await store.transact(async (tx) => {
    for (const key of keys) await tx.delete(signInFailures, key);
  });
}

/** IPv6 networks are given out by /64, each with addresses without end: one of them counts as one place. */
const placeOf = (address: string): string => (address.includes(':') ? address.split(':').slice(0, 4).join(':') : address);

const readsOf = (limits: readonly Limit[]): Read<SignInFailuresRecord>[] => limits.map(({ key }) => ({ collection: signInFailures, key }));

/** Counts an attempt against every limit, or against none and answers false where one of them is reached. */
async function count(tx: Transaction, { limits, windowMs, at }: Attempt): Promise<boolean> {
  const records = await tx.getMany(readsOf(limits));
  const next: SignInFailuresRecord[] = [];
  for (const [index, limit] of limits.entries()) {
    const window = windowAt(records[index], limit.key, windowMs, at);
    if (weigh(window, windowMs, at) + 1 > limit.most) return false;
    next.push({ ...window, count: window.count + 1 });
  }
  for (const record of next) await tx.put(signInFailures, record);
  return true;
}

/** Takes an attempt back that was no failure. */
function takeBack(store: Store, attempt: Attempt): Promise<void> {
  return store.transact(async (tx) => {
    for (const record of await tx.getMany(readsOf(attempt.limits))) await lessen(tx, record, attempt);
  });
}

/** After a success the account has no failures any more, and the address one less. */
function settle(store: Store, attempt: Attempt): Promise<void> {
  return store.transact(async (tx) => {
    const records = await tx.getMany(readsOf(attempt.limits));
    for (const [index, { key, endsWithSuccess }] of attempt.limits.entries()) {
      if (endsWithSuccess) await tx.delete(signInFailures, key);
      else await lessen(tx, records[index], attempt);
    }
  });
}

/** One failure less; when another window has begun since it was counted, it is not worth finding. */
async function lessen(tx: Transaction, record: SignInFailuresRecord | undefined, { at, windowMs }: Attempt): Promise<void> {
  if (record?.since === startOf(at, windowMs) && record.count > 0) await tx.put(signInFailures, { ...record, count: record.count - 1 });
}

const startOf = (at: number, windowMs: number): number => at - (at % windowMs);

/**
 * What a record means at a time: itself in its own window, and in the one before, which attempts of the same moment may still be in; the
 * failures of the window before in the next one; later nothing.
 */
function windowAt(record: SignInFailuresRecord | undefined, key: FailuresKey, windowMs: number, at: number): SignInFailuresRecord {
  const since = startOf(at, windowMs);
  if (record && (record.since === since || record.since === since + windowMs)) return record;
  const [app, tenant, subject] = key;
  const previous = record?.since === since - windowMs ? record.count : 0;
  return { app, tenant, subject, since, count: 0, previous, expiresAt: since + 2 * windowMs };
}

/** Failures within one length of a window before now, those of the window before taken as evenly spread. */
function weigh({ since, count: failures, previous }: SignInFailuresRecord, windowMs: number, at: number): number {
  return failures + previous * (1 - Math.max(0, at - since) / windowMs);
}
