import { deleteAll } from '../../store/delete-all.ts';
import { sha256Hex } from '../../crypto/digests.ts';
import type { AppNumber, Read, Reader, Store, TenantNumber, Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type SignInFailuresRecord, signInFailures } from './records.ts';

/*
 * Limits of failed sign-ins over a sliding window: failures of the present window count in full, those of the one
 * before by the part of it that lies within one length of now. An attempt is counted before the password is checked, so
 * that many attempts at once pass no more than one by one would, and taken back when it turns out to be no failure.
 * Attempts over a limit are not counted: who waits for a window gets in again.
 */

/** What failures are counted under: app, tenant, and the digest of whatever is limited. */
export type FailuresKey = readonly [app: AppNumber, tenant: TenantNumber, subject: string];

/** What an attempt counts against. */
export interface FailureLimit {
  readonly key: FailuresKey;
  /** ms over which failures are counted. */
  readonly windowMs: number;
  /** How many of them there may be; infinite where they are counted only for the sake of other tenants. */
  readonly most: number;
  /** What it limits, as events name it. */
  readonly by: string;
  /** A right password forgets the failures of an account; an address keeps those of other accounts. */
  readonly endsWithSuccess: boolean;
}

/** An attempt that was let through. */
interface Attempt {
  readonly limits: readonly FailureLimit[];
  readonly at: number;
}

/** @param kind keeps apart what is limited, as do app and tenant */
export const failuresKey = ({ app, tenant }: Pick<Tenant, 'app' | 'tenant'>, kind: string, subject: string): FailuresKey => [
  app,
  tenant,
  sha256Hex(`${kind} ${subject}`),
];

/** The place that an address counts for: with IPv6 its /64 network, whose owner has addresses without end. */
export const placeOf = (address: string): string => (address.includes(':') ? address.split(':').slice(0, 4).join(':') : address);

/**
 * Runs `check` unless one of the limits was reached lately; then nothing is checked and the answer is `undefined`.
 * Without a limit the store is not asked. A check that throws was no attempt.
 */
export async function withinLimits<R extends { readonly status: string }>(
  context: Context,
  limits: readonly FailureLimit[],
  check: () => Promise<R>,
): Promise<R | undefined> {
  const { store, now } = context;
  /** What came of the check is what the caller must learn; an attempt that stays counted ages away. */
  const dropped = (error: unknown): void => context.dropped(error, 'taking back a sign-in attempt failed');
  if (limits.length === 0) return check();
  const attempt = { limits, at: now() };
  const reached = await store.transact((tx) => count(tx, attempt));
  if (!reached) return undefined;
  let result: R;
  try {
    result = await check();
  } catch (error) {
    await takeBack(store, attempt).catch(dropped);
    throw error;
  }
  if (result.status === 'OK') await settle(store, attempt).catch(dropped);
  else if (reached.length > 0) await recordReached(context, reached);
  return result;
}

/** Which of the limits the next attempt would find reached, in their order. @param at ms since the epoch */
export async function reachedLimits(reader: Reader, limits: readonly FailureLimit[], at: number): Promise<readonly boolean[]> {
  const records = await reader.getMany(readsOf(limits));
  return limits.map((limit, index) => isReached(windowAt(records[index], limit, at), limit, at));
}

/** Forgets failures, in the caller's transaction. */
export async function forget(tx: Transaction, keys: readonly FailuresKey[]): Promise<void> {
  await deleteAll(tx, signInFailures, keys);
}

const readsOf = (limits: readonly FailureLimit[]): Read<typeof signInFailures>[] =>
  limits.map(({ key }) => ({ collection: signInFailures, key }));

/**
 * Counts an attempt against every limit, or against none where one of them is reached, and then answers nothing. Else
 * answers those that are reached with it: after its failure the next one is refused.
 */
async function count(tx: Transaction, { limits, at }: Attempt): Promise<readonly FailureLimit[] | undefined> {
  const records = await tx.getMany(readsOf(limits));
  const windows = limits.map((limit, index) => ({ ...limit, record: records[index], window: windowAt(records[index], limit, at) }));
  const isOver = windows.some((limit) => isReached(limit.window, limit, at));
  for (const { window, record } of windows) {
    if (!isOver) await tx.put(signInFailures, { ...window, count: window.count + 1 });
    // The clock was set back: from now on what was counted ages.
    else if (record && record.since > window.since) await tx.put(signInFailures, window);
  }
  return isOver ? undefined : limits.filter((limit, index) => isLast(windows[index]?.window, limit, at));
}

const isLast = (before: SignInFailuresRecord | undefined, limit: FailureLimit, at: number): boolean =>
  before !== undefined && isReached({ ...before, count: before.count + 1 }, limit, at);

/** Tells once of a limit, by the failure that reached it, however many attempts are refused after it. */
async function recordReached(context: Context, reached: readonly FailureLimit[]): Promise<void> {
  await context.store.transact(async (tx) => {
    for (const { by } of reached) await recordEvent(tx, context, 'sign-in.blocked', { details: { by } });
  });
}

/** Takes an attempt back that was no failure. */
function takeBack(store: Store, { limits, at }: Attempt): Promise<void> {
  return store.transact(async (tx) => {
    const records = await tx.getMany(readsOf(limits));
    for (const [index, limit] of limits.entries()) await lessen(tx, records[index], limit, at);
  });
}

/** After a success the account has no failures any more, and the address one less. */
function settle(store: Store, { limits, at }: Attempt): Promise<void> {
  return store.transact(async (tx) => {
    const records = await tx.getMany(readsOf(limits));
    for (const [index, limit] of limits.entries()) {
      if (limit.endsWithSuccess) await tx.delete(signInFailures, limit.key);
      else await lessen(tx, records[index], limit, at);
    }
  });
}

/** One failure less; once another window has begun it is not worth finding. */
async function lessen(tx: Transaction, record: SignInFailuresRecord | undefined, { windowMs }: FailureLimit, at: number): Promise<void> {
  if (record?.since === startOf(at, windowMs) && record.count > 0) await tx.put(signInFailures, { ...record, count: record.count - 1 });
}

const startOf = (at: number, windowMs: number): number => at - (at % windowMs);

/**
 * What a record means at a time: itself in its own window, and in the one before, where attempts of that moment may be;
 * failures of the window before in the next one; later nothing. One further ahead is from before the clock was set
 * back: it counts as of the present window, so that nothing is forgotten and nobody waits longer than usual.
 */
function windowAt(record: SignInFailuresRecord | undefined, { key, windowMs }: FailureLimit, at: number): SignInFailuresRecord {
  const since = startOf(at, windowMs);
  const expiresAt = since + 2 * windowMs;
  if (record && (record.since === since || record.since === since + windowMs)) return record;
  if (record && record.since > since) return { ...record, since, expiresAt };
  const [app, tenant, subject] = key;
  const previous = record?.since === since - windowMs ? record.count : 0;
  return { app, tenant, subject, since, count: 0, previous, expiresAt };
}

const isReached = (window: SignInFailuresRecord, { windowMs, most }: FailureLimit, at: number): boolean =>
  weigh(window, windowMs, at) + 1 > most;

/** Failures within one length of a window before now, those of the window before taken as evenly spread. */
function weigh({ since, count: failures, previous }: SignInFailuresRecord, windowMs: number, at: number): number {
  return failures + previous * (1 - Math.max(0, at - since) / windowMs);
}
