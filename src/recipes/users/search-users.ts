import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import type { Reader, Store } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { idsOf, listUsersFrom, orderOf, type Place } from './listing.ts';
import { loginMethodsOf } from '../accounts/login-methods.ts';
import { idIn, loginMethods, users } from '../accounts/records.ts';
import { setsWith } from './recipe-filter.ts';
import { hasTags, recipesWith, type Run, runsOf, type SearchTag } from './search-tags.ts';
import { loadUsersById, type User } from './user.ts';

/** Where and how a search looks. */
interface SearchWorld {
  readonly store: Store;
  readonly directory: TenantDirectory;
  readonly tenant: Tenant;
}

/** At most so many candidates are all read; where there are more, users are searched in the order of listing. */
const MOST_CANDIDATES = 5000;
/** Records read in one turn of the event loop. */
const PIECE = 250;

/** The first users in listing order with a login method in the tenant that has all tags (contract 01 section 9.3). */
export async function searchUsers(
  { store, directory, tenant }: SearchWorld,
  tags: readonly SearchTag[],
  newestFirst: boolean,
): Promise<User[]> {
  if (recipesWith(tags) === 0) return [];
  return store.read(async (reader) => {
    const runs = await smallestRuns(reader, tenant, tags);
    const found = runs
      ? (await matchesAmong(reader, tenant, tags, runs)).toSorted(orderOf(newestFirst)).slice(0, LIMITS.searchResults)
      : await matchesInOrder(reader, tenant, tags, newestFirst);
    return inPieces(idsOf(found), (piece) => loadUsersById(reader, directory, tenant.app, piece));
  });
}

/** The runs of the tag that has the fewest candidates, unless they are too many too. */
async function smallestRuns(reader: Reader, tenant: Tenant, tags: readonly SearchTag[]): Promise<readonly Run[] | undefined> {
  const choices = await Promise.all(
    tags.map(async (tag) => {
      const runs = runsOf(tenant, tag);
      const counts = await Promise.all(runs.map(({ index, bounds }) => reader.count(loginMethods, index, bounds)));
      return { runs, candidates: counts.reduce((sum, count) => sum + count, 0) };
    }),
  );
  const [best] = choices.toSorted((a, b) => a.candidates - b.candidates);
  return best && best.candidates <= MOST_CANDIDATES ? best.runs : undefined;
}

/** Whoever matches, among the login methods of the runs; in no particular order. */
async function matchesAmong(reader: Reader, { app }: Tenant, tags: readonly SearchTag[], runs: readonly Run[]): Promise<Place[]> {
  const keys = await Promise.all(runs.map(({ index, bounds }) => reader.keys(loginMethods, index, { ...bounds, limit: MOST_CANDIDATES })));
  const ids = new Set(keys.flat().map(idIn));
  const matching = await inPieces([...ids], async (piece) => {
    const methods = await reader.getMany(piece.map((id) => ({ collection: loginMethods, key: [app, id] as const })));
    return methods.filter((method) => method !== undefined && hasTags(method, tags));
  });
  const primaryIds = new Set(matching.flatMap((method) => (method ? [method.primaryUserId] : [])));
  const records = await inPieces([...primaryIds], (piece) =>
    reader.getMany(piece.map((id) => ({ collection: users, key: [app, id] as const }))),
  );
  return records.filter((record) => record !== undefined);
}

/** The first who match, found by going through all users who might. */
async function matchesInOrder(reader: Reader, tenant: Tenant, tags: readonly SearchTag[], newestFirst: boolean): Promise<Place[]> {
  const listing = { tenant, sets: setsWith(recipesWith(tags)), newestFirst };
  const found: Place[] = [];
  for (let from: Place | undefined; ; await nextTurn()) {
    const page = await listUsersFrom(reader, listing, from, PIECE + 1);
    const candidates = page.slice(0, PIECE);
    const methods = await loginMethodsOf(reader, tenant.app, idsOf(candidates));
    found.push(
      ...candidates.filter((_, at) => methods[at]?.some((method) => method.tenants.includes(tenant.tenant) && hasTags(method, tags))),
    );
    from = page[PIECE];
    if (!from || found.length >= LIMITS.searchResults) return found.slice(0, LIMITS.searchResults);
  }
}

/** Does work on a long list piece by piece, with a turn of the event loop between them. */
async function inPieces<T, U>(items: readonly T[], work: (piece: readonly T[]) => U[] | Promise<U[]>): Promise<U[]> {
  const results: U[] = [];
  for (let at = 0; at < items.length; at += PIECE) {
    if (at > 0) await nextTurn();
    results.push(...(await work(items.slice(at, at + PIECE))));
  }
  return results;
}
