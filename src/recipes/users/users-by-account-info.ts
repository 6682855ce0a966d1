import type { Commands } from '../../generated/commands.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { type AccountInfo, listByAccountInfo, type LoginMethodRecord, methodsByCredential } from '../accounts/login-methods.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { normaliseEmail, normalisePhoneNumber } from '../normalise.ts';
import { type LoginMethod, loadUsers, timeJoinedOf, type User } from './user.ts';

type Command = Commands['users/users-by-account-info'];

/** One criterion: who its candidates are, and whether a login method satisfies it. */
interface Criterion {
  readonly find: (reader: Reader, tenant: Tenant) => MaybePromise<LoginMethodRecord[]>;
  readonly matches: (method: LoginMethod) => boolean;
}

/** Checks beyond field types (contract 01 section 3.12). */
export function checkAccountInfoQuery(command: Command): void {
  if (command.doUnionOfAccountInfo !== 'true' && command.doUnionOfAccountInfo !== 'false') {
    throw new Refusal('bad-input', { text: "'doUnionOfAccountInfo' should be either 'true' or 'false'" });
  }
  if ((command.thirdPartyId === undefined) !== (command.thirdPartyUserId === undefined)) {
    throw new Refusal('bad-input', { text: "If 'thirdPartyId' is provided, 'thirdPartyUserId' must also be provided, and vice versa" });
  }
}

/** `GET /users/by-accountinfo` (contract 01 section 3.12): the tenant's users with any or all infos, oldest first. */
export async function usersByAccountInfo({ store, directory, tenant }: Context, command: Command): Promise<User[]> {
  const criteria = criteriaOf(command);
  return store.read(async (reader: Reader) => {
    const methods = await Promise.all(criteria.map(({ find }) => find(reader, tenant)));
    const candidates = await loadUsers(reader, directory, methods.flat());
    const isUnion = command.doUnionOfAccountInfo === 'true';
    const chosen = isUnion ? candidates : candidates.filter((user) => satisfiesAll(user, criteria));
    return chosen.toSorted((a, b) => timeJoinedOf(a) - timeJoinedOf(b));
  });
}

function criteriaOf(command: Command): Criterion[] {
  const { email, phoneNumber, thirdPartyId, thirdPartyUserId, webauthnCredentialId } = command;
  const criteria: Criterion[] = [];
  if (email !== undefined) {
    const wanted = normaliseEmail(email);
    criteria.push({ find: withInfo(['email', wanted]), matches: (method) => method.email === wanted });
  }
  if (phoneNumber !== undefined) {
    const wanted = normalisePhoneNumber(phoneNumber);
    criteria.push({ find: withInfo(['phone', wanted]), matches: (method) => method.phoneNumber === wanted });
  }
  if (thirdPartyId !== undefined && thirdPartyUserId !== undefined) {
    criteria.push({
      find: withInfo(['tparty', thirdPartyId, thirdPartyUserId]),
      matches: ({ thirdParty }) => thirdParty?.id === thirdPartyId && thirdParty.userId === thirdPartyUserId,
    });
  }
  if (webauthnCredentialId !== undefined) {
    criteria.push({
      // Passkeys are looked up in the whole app.
      find: (reader, { app }) => methodsByCredential(reader, app, webauthnCredentialId),
      matches: ({ credentialIds }) => credentialIds?.includes(webauthnCredentialId) === true,
    });
  }
  return criteria;
}

const withInfo =
  (info: AccountInfo): Criterion['find'] =>
  (reader, tenant) =>
    listByAccountInfo(reader, tenant, info);

const satisfiesAll = (user: User, criteria: readonly Criterion[]): boolean =>
  criteria.every((criterion) => user.loginMethods.some((method) => criterion.matches(method)));
