import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Passwords } from '../../crypto/crypto.ts';
import { LaneFullError } from '../../lanes/lane-errors.ts';
import type { JsonText } from '../../json/free-form.ts';
import { lostOutcome } from '../../store/unavailable.ts';
import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Seen, Store, Transaction } from '../../store/store.ts';
import { SYSTEM } from '../audit/event.ts';
import type { Recorder } from '../audit/record-event.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { ClaimLost } from './claims.ts';
import { type ImportTargets, readTargets, staleErrors } from './import-targets.ts';
import { importUser } from './import-user.ts';
import type { ImportedUser } from './imported-user.ts';
import { recordImport } from './record-import.ts';
import { preparePasswords } from './prepare-passwords.ts';
import { type QueueEntry, queueEntries, textsOf } from './records.ts';

/** What importing works with. */
export interface ImportServices {
  readonly store: Store;
  readonly trail: AuditTrail;
  /** The lane for imports is asked. */
  readonly passwords: Pick<Passwords, 'hashPassword'>;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Told of what should not happen; the user concerned is marked as failed. */
  readonly onFault: (error: unknown) => void;
}

/** An entry of the queue as it was read before the transaction. */
export type SeenEntry = Seen<QueueEntry>;

/** An entry with its user, ready to be imported. */
interface Prepared {
  readonly seen: SeenEntry;
  readonly user: ImportedUser;
}

/** Users that are imported in one turn of the event loop. */
const A_TURN = 20;
const FAULT_TEXT = 'E046: the user could not be imported because of an internal error';

/**
 * Imports users of the queue and deletes their entries in one transaction, so that each is imported once whatever
 * happens. What stands against a user is kept with its entry (contract 05 section 6.11).
 * @param app any tenant of the app
 * @param isLastTry whether a fault counts against a user: a fault of the store or of a hashing thread may pass
 * @throws LaneFullError, StoreUnavailable, ClaimLost: no user is at fault then, and those already imported have left
 * the queue
 */
export async function importBatch(services: ImportServices, app: Tenant, entries: readonly SeenEntry[], isLastTry = false): Promise<void> {
  try {
    const prepared = await allReady(entries.map((seen) => prepare(services, app, seen)));
    // Reading all of them took a turn's time already.
    await nextTurn();
    const { trail, now } = services;
    const recorder = { trail, now, tenant: app, actor: SYSTEM, via: 'bulk-import' };
    await services.store.transact((tx) => importPrepared(tx, app, prepared, recorder));
  } catch (error) {
    if (error instanceof LaneFullError || error instanceof ClaimLost || lostOutcome(error)) throw error;
    const [only, ...others] = entries;
    if (only && others.length === 0 && isLastTry) await fail(services, only, error);
    // One of them is at fault: the others need not suffer.
    else for (const entry of entries) await importBatch(services, app, [entry], others.length === 0);
  }
}

function prepare({ passwords }: ImportServices, app: Tenant, seen: SeenEntry): MaybePromise<Prepared> {
  const ready = preparePasswords(userOf(seen.record), passwords, app.appConfig, { lane: 'import' });
  return whenReady(ready, (user) => ({ seen, user }));
}

/** The user that an entry keeps. */
function userOf(entry: QueueEntry): ImportedUser {
  const { user, metadata } = textsOf(entry);
  const read = JSON.parse(user) as ImportedUser;
  return metadata === undefined ? read : { ...read, userMetadata: metadata satisfies JsonText };
}

async function importPrepared(tx: Transaction, app: Tenant, all: readonly Prepared[], recorder: Recorder): Promise<void> {
  const kept = await allReady(all.map(({ seen }) => tx.getAgain(queueEntries, seen)));
  // Entries removed or imported meanwhile are gone; those in which another worker found a fault have changed.
  const waiting = all.filter(({ seen }, at) => kept[at] === seen);
  const users = waiting.map(({ user }) => user);
  const targets = await readTargets(tx, app, users, recorder.now());
  await nextTurn();
  for (const [at, one] of waiting.entries()) {
    const importing = importOne(tx, targets, recorder, one);
    // A store that answers at once needs no turn for each user.
    if (importing instanceof Promise) await importing;
    if (at % A_TURN === A_TURN - 1) await nextTurn();
  }
}

function importOne(tx: Transaction, targets: ImportTargets, recorder: Recorder, { seen, user }: Prepared): MaybePromise<unknown> {
  const stale = staleErrors(targets, user);
  const result = stale.length > 0 ? `[${stale.join(', ')}]` : importUser(tx, targets, user);
  return whenReady<string | undefined, unknown>(result, (error) =>
    error === undefined
      ? allReady([tx.deleteSeen(queueEntries, seen), recordImport(tx, recorder, user)])
      : tx.put(queueEntries, failed(seen.record, targets.now, error)),
  );
}

async function fail({ store, now, onFault }: ImportServices, seen: SeenEntry, error: unknown): Promise<void> {
  onFault(error);
  await store.transact(async (tx) => {
    if ((await tx.getAgain(queueEntries, seen)) === seen) await tx.put(queueEntries, failed(seen.record, now(), FAULT_TEXT));
  });
}

const failed = (entry: QueueEntry, now: number, errorMessage: string): QueueEntry => ({
  ...entry,
  status: 'FAILED',
  updatedAt: now,
  errorMessage,
});

/** Whether importing the user of an entry begins with hashing a password, which takes long. */
export function hasPlainPassword(entry: QueueEntry): boolean {
  return Buffer.from(entry.user.buffer, entry.user.byteOffset, entry.user.byteLength).includes('"plainTextPassword"');
}
