import type { Commands } from '../../generated/commands.ts';
import { LIMITS } from '../../config/limits.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { idsOf, type Listing, listUsersFrom, type Place } from './listing.ts';
import { pageToken, readPageToken } from './page-token.ts';
import { askedRecipes, bitsOf, setsWith } from './recipe-filter.ts';
import { readTags } from './search-tags.ts';
import { searchUsers } from './search-users.ts';
import { loadUsersById, type User } from './user.ts';

type Command = Commands['users/list-users'];

const DEFAULT_LIMIT = 100;

/** Whom callers below CDI 4.0 are not shown; left out here, so that their pages are full. */
const PASSKEYS_ONLY = bitsOf('webauthn');

/** A page of users, and the token of the next one unless this is the last. */
export interface UserPage {
  readonly users: readonly User[];
  readonly nextPaginationToken: string | undefined;
}

/** `GET /users` (contract 01 section 3.7): a tenant's users page by page, or the first that match the search tags. */
export async function listUsers({ store, directory, tenant, traits }: Context, command: Command): Promise<UserPage> {
  const tags = readTags(command);
  const limit = checkLimit(command.limit ?? DEFAULT_LIMIT, tags.length > 0);
  const from = command.paginationToken === undefined ? undefined : checkToken(command.paginationToken);
  const newestFirst = command.timeJoinedOrder === 'DESC';
  if (tags.length > 0) return { users: await searchUsers({ store, directory, tenant }, tags, newestFirst), nextPaginationToken: undefined };
  const sets = setsWith(askedRecipes(command)).filter((set) => traits.accountLinking || set !== PASSKEYS_ONLY);
  const listing: Listing = { tenant, sets, newestFirst };
  return store.read(async (reader) => {
    const found = await listUsersFrom(reader, listing, from, limit + 1);
    const next = found[limit];
    const users = await loadUsersById(reader, directory, tenant.app, idsOf(found.slice(0, limit)));
    return { users, nextPaginationToken: next && pageToken(next) };
  });
}

function checkLimit(limit: number, isSearch: boolean): number {
  if (limit > LIMITS.usersPage && !isSearch) throw new Refusal('bad-input', { text: `max limit allowed is ${LIMITS.usersPage}` });
  if (limit < 1) throw new Refusal('bad-input', { text: 'limit must a positive integer with min value 1' });
  return limit;
}

function checkToken(token: string): Place {
  const place = readPageToken(token);
  if (!place) throw new Refusal('bad-input', { text: 'invalid pagination token' });
  return place;
}
