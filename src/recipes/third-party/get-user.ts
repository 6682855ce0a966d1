import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { methodByInfo } from '../accounts/login-methods.ts';
import { findMethodAlone, loadUser, type User } from '../users/user.ts';

type Command = Commands['third-party/get-user'];

export type GetUserResult =
  | { readonly status: 'UNKNOWN_USER_ID_ERROR' | 'UNKNOWN_THIRD_PARTY_USER_ERROR' }
  | { readonly status: 'OK'; readonly user: User };

/** Either the id or the whole pair. */
export function checkGetUser({ userId, thirdPartyId, thirdPartyUserId }: Command): void {
  const refuse = (text: string): never => {
    throw new Refusal('bad-input', { text });
  };
  const given = [thirdPartyId, thirdPartyUserId].filter((one) => one !== undefined);
  if (userId !== undefined && given.length > 0) refuse('Please provide only one of userId or (thirdPartyId & thirdPartyUserId)');
  if (userId === undefined && given.length < 2) refuse('Please provide one of userId or (thirdPartyId & thirdPartyUserId)');
}

/** `GET /recipe/user` (contract 03 section 4.3): by id one login method in the app, by account a user in the tenant. */
export function getUser(context: Context, { userId, thirdPartyId = '', thirdPartyUserId = '' }: Command): Promise<GetUserResult> {
  return userId === undefined ? byAccount(context, thirdPartyId, thirdPartyUserId) : byId(context, userId);
}

async function byId({ address, traits, directory, store }: Context, userId: string): Promise<GetUserResult> {
  const { app } = await SCOPES.app(address, traits, directory);
  return store.read(async (reader) => {
    const user = await findMethodAlone(reader, directory, app, { id: userId, recipe: 'thirdparty' });
    return user ? { status: 'OK', user } : { status: 'UNKNOWN_USER_ID_ERROR' };
  });
}

async function byAccount(
  { address, traits, directory, store }: Context,
  thirdPartyId: string,
  thirdPartyUserId: string,
): Promise<GetUserResult> {
  const tenant = await SCOPES.tenant(address, traits, directory);
  return store.read(async (reader) => {
    const method = await methodByInfo(reader, tenant, 'thirdparty', ['tparty', thirdPartyId, thirdPartyUserId]);
    return method ? { status: 'OK', user: await loadUser(reader, directory, method) } : { status: 'UNKNOWN_THIRD_PARTY_USER_ERROR' };
  });
}
