import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findUsers, type UserSearch } from '../users/find-users.ts';
import { listUsers, type UserPage } from '../users/list-users.ts';
import { nextToken, pageRange } from './page.ts';

type Command = Commands['management/find-users'];

/** What users are searched by; the beginning of one of them, or a value in their metadata. */
const BEGINNINGS = ['email', 'phone', 'provider', 'id'] as const;

/**
 * `GET /manage/v1/users`: users of the addressed tenant by the beginning of an email, a phone number, a third-party
 * account or an id, by the id of a passkey, or by a value in their metadata; without any of these all of them, the
 * newest first. With `recipe` those alone who have a login method of it there. @throws Refusal
 */
export async function findUsersOf(context: Context, command: Command): Promise<UserPage> {
  const search = searchIn(command);
  const range = pageRange(command);
  const { recipe } = command;
  if (search) {
    const { items, next } = await findUsers(context, search, { ...range, recipe });
    return { users: items, nextPaginationToken: nextToken(next) };
  }
  const { paginationToken } = command;
  return listUsers(context, {
    limit: range.limit,
    timeJoinedOrder: 'DESC',
    ...(paginationToken !== undefined && { paginationToken }),
    ...(recipe !== undefined && { includeRecipeIds: [recipe] }),
  });
}

function searchIn(command: Command): UserSearch | undefined {
  const { metadataKey: key, metadataValue: value } = command;
  if ((key === undefined) !== (value === undefined)) throw bad("'metadataKey' and 'metadataValue' go together");
  const searches = BEGINNINGS.flatMap((by): UserSearch[] => {
    const beginning = command[by];
    return beginning === undefined ? [] : [{ by, beginning }];
  });
  if (command.credentialId !== undefined) searches.push({ by: 'passkey', credentialId: command.credentialId });
  if (key !== undefined && value !== undefined) searches.push({ by: 'metadata', key, value });
  if (searches.length > 1) throw bad(`Only one of ${BEGINNINGS.join(', ')}, credentialId and metadataKey may be given`);
  return searches[0];
}

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
