import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, KeyIn, Range, Reader, TenantNumber } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { users } from '../accounts/records.ts';
import { asInternal, type InternalUserId } from '../accounts/ids.ts';

/** A place in the order of users (contract 01 section 9.1): by time; within one time by id, the greatest first. */
export interface Place {
  /** Internal id of the primary user. */
  readonly id: InternalUserId;
  readonly timeJoined: number;
}

/** The ids of whoever stands at these places. */
export const idsOf = (places: readonly Place[]): InternalUserId[] => places.map(({ id }) => id);

/** Which users of a tenant, in which order. */
export interface Listing {
  readonly tenant: Tenant;
  /** The sets of recipes that the users may have in the tenant (`setsWith`). */
  readonly sets: readonly number[];
  readonly newestFirst: boolean;
}

type UserKey = KeyIn<typeof users, 'inTenant'>;

/** Where the users of a tenant with one set of recipes stand. */
type Run = readonly [app: AppNumber, tenant: TenantNumber, set: number];

/** At most `limit` users from the place `from` on. Reads at most a few times `limit` keys per set, and no records. */
export async function listUsersFrom(reader: Reader, listing: Listing, from: Place | undefined, limit: number): Promise<Place[]> {
  const { tenant, sets, newestFirst } = listing;
  const read = newestFirst ? readNewestFirst : readOldestFirst;
  const runs = await Promise.all(sets.map((set) => read(reader, [tenant.app, tenant.tenant, set], from, limit)));
  return runs.flat().toSorted(orderOf(newestFirst)).slice(0, limit);
}

/** The order of contract 01 section 9.1. */
export function orderOf(newestFirst: boolean): (a: Place, b: Place) => number {
  const direction = newestFirst ? -1 : 1;
  return (a, b) => direction * (a.timeJoined - b.timeJoined) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** Exactly the index backwards. */
function readNewestFirst(reader: Reader, prefix: Run, from: Place | undefined, limit: number): MaybePromise<Place[]> {
  const until = from && afterPlace(prefix, from);
  return readPlaces(reader, { prefix, ...(until && { until }), limit, reverse: true });
}

/**
 * Times ascend, but ids within one time descend, and any number of users may share a millisecond. So users of the time
 * of `from` are read backwards, later ones forward; the last time may be cut short and is read again backwards.
 */
async function readOldestFirst(reader: Reader, prefix: Run, from: Place | undefined, limit: number): Promise<Place[]> {
  const [tied, later] = await Promise.all([from ? readTied(reader, prefix, from, limit) : [], readLater(reader, prefix, from, limit)]);
  const last = later.at(-1);
  if (!last || later.length < limit) return [...tied, ...later];
  const whole = later.filter((user) => user.timeJoined < last.timeJoined);
  const end = await readPlaces(reader, { prefix: [...prefix, last.timeJoined], limit: limit - whole.length, reverse: true });
  return [...tied, ...whole, ...end];
}

function readTied(reader: Reader, prefix: Run, from: Place, limit: number): MaybePromise<Place[]> {
  return readPlaces(reader, {
    prefix: [...prefix, from.timeJoined],
    until: afterPlace(prefix, from),
    limit,
    reverse: true,
  });
}

function readLater(reader: Reader, prefix: Run, from: Place | undefined, limit: number): MaybePromise<Place[]> {
  // Texts come after numbers, so an empty one comes after all primary keys of that time.
  return readPlaces(reader, { prefix, ...(from && { from: [...prefix, from.timeJoined, ''] }), limit });
}

function readPlaces(reader: Reader, range: Range<UserKey>): MaybePromise<Place[]> {
  return whenReady(reader.entries(users, 'inTenant', range), (keys) => keys.map(placeIn));
}

/** The place that a key of the index names. */
const placeIn = ([, , , timeJoined, , id]: UserKey): Place => ({ id, timeJoined });

/** The first key of the index after a place; the prefix begins with the app, and so does the primary key at the end. */
const afterPlace = (prefix: Run, { id, timeJoined }: Place): UserKey => [...prefix, timeJoined, prefix[0], asInternal(`${id}\0`)];
