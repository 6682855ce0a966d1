import { deleteAll } from '../../store/delete-all.ts';
import { pagesOf } from '../../store/pages.ts';
import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { existingTenants } from '../tenants/tenant-exists.ts';
import type { InternalUserId } from './ids.ts';
import { type AccountInfo, accountInfosOf, type LoginMethodRecord, type ReservationRecord, reservations } from './records.ts';

/** An account info in a tenant that another primary user holds. */
export interface Conflict {
  readonly type: AccountInfo[0];
  /** Internal id of the primary user who holds it. */
  readonly primaryUserId: InternalUserId;
}

/** Every account info of the methods in each of their tenants: what a group of exactly these reserves when linked. */
export function reservationsFor(primaryUserId: InternalUserId, methods: readonly LoginMethodRecord[]): ReservationRecord[] {
  const tenants = new Set(methods.flatMap((method) => method.tenants));
  const infos = methods.flatMap((method) => accountInfosOf(method).map((info) => ({ app: method.app, info })));
  return [...tenants].flatMap((tenant) => infos.map(({ app, info }) => ({ app, tenant, info, primaryUserId })));
}

/**
 * The first wanted reservation that another primary user holds, third-party accounts first (contract 03 section 1.5).
 * What is held in a removed tenant is in nobody's way.
 */
export function findConflict(reader: Reader, wanted: readonly ReservationRecord[]): MaybePromise<Conflict | undefined> {
  const app = wanted[0]?.app;
  if (app === undefined) return undefined;
  const reads = wanted.map((record) => ({ collection: reservations, key: reservations.key(record) }));
  return whenReady(reader.getMany(reads), (held) => {
    const others = held.flatMap((record, at) => (record && record.primaryUserId !== wanted[at]?.primaryUserId ? [record] : []));
    return others.length === 0 ? undefined : firstConflict(reader, app, others);
  });
}

async function firstConflict(reader: Reader, app: AppNumber, others: readonly ReservationRecord[]): Promise<Conflict | undefined> {
  const accountsFirst = others.toSorted((a, b) => Number(b.info[0] === 'tparty') - Number(a.info[0] === 'tparty'));
  const exist = await existingTenants(
    reader,
    app,
    others.map(({ tenant }) => tenant),
  );
  const first = accountsFirst.find(({ tenant }) => exist.has(tenant));
  return first && { type: first.info[0], primaryUserId: first.primaryUserId };
}

/** Writes reservations that `findConflict` found free. */
export function reserve(tx: Transaction, wanted: readonly ReservationRecord[]): MaybePromise<void> {
  return whenReady(allReady(wanted.map((record) => tx.put(reservations, record))), () => undefined);
}

/** Gives up what a primary user holds that no remaining method has, and all of it in tenants where none remains. */
export async function releaseUnused(
  tx: Transaction,
  app: AppNumber,
  primaryUserId: InternalUserId,
  remaining: readonly LoginMethodRecord[],
): Promise<void> {
  const tenants = new Set(remaining.flatMap((method) => method.tenants));
  const infos = new Set(remaining.flatMap(accountInfosOf).map((info) => JSON.stringify(info)));
  const pages = pagesOf((page) => tx.page(reservations, 'byPrimary', { prefix: [app, primaryUserId], ...page }));
  const isUsed = ({ tenant, info }: ReservationRecord): boolean => tenants.has(tenant) && infos.has(JSON.stringify(info));
  for await (const page of pages) {
    const unused = page.filter((record) => !isUsed(record));
    await deleteAll(tx, reservations, unused.map(reservations.key));
  }
}
