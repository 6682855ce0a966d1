import type { Commands } from '../../generated/commands.ts';
import type { Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { type AccountInfo, listByAccountInfo } from '../accounts/login-methods.ts';
import { normaliseEmail, normalisePhoneNumber } from '../normalise.ts';
import { type LoginMethod, loadUsers, timeJoinedOf, type User } from './user.ts';

type Command = Commands['users/users-by-account-info'];

/** One criterion: where its candidates stand in the index, and whether a login method satisfies it. */
interface Criterion {
  readonly key: AccountInfo;
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
  // Credentials are kept by the webauthn recipe alone; nobody has an unknown one.
  const unsatisfiable = command.webauthnCredentialId !== undefined;
  return store.read(async (reader: Reader) => {
    const methods = await Promise.all(criteria.map(({ key }) => listByAccountInfo(reader, tenant, key)));
    const candidates = await loadUsers(reader, directory, methods.flat());
    const isUnion = command.doUnionOfAccountInfo === 'true';
    const chosen = isUnion ? candidates : candidates.filter((user) => !unsatisfiable && satisfiesAll(user, criteria));
    return chosen.toSorted((a, b) => timeJoinedOf(a) - timeJoinedOf(b));
  });
}

function criteriaOf(command: Command): Criterion[] {
  const { email, phoneNumber, thirdPartyId, thirdPartyUserId } = command;
  const criteria: Criterion[] = [];
  if (email !== undefined) {
    const wanted = normaliseEmail(email);
    criteria.push({ key: ['email', wanted], matches: (method) => method.email === wanted });
  }
  if (phoneNumber !== undefined) {
    const wanted = normalisePhoneNumber(phoneNumber);
    criteria.push({ key: ['phone', wanted], matches: (method) => method.phoneNumber === wanted });
  }
  if (thirdPartyId !== undefined && thirdPartyUserId !== undefined) {
    criteria.push({
      key: ['tparty', thirdPartyId, thirdPartyUserId],
      matches: ({ thirdParty }) => thirdParty?.id === thirdPartyId && thirdParty.userId === thirdPartyUserId,
    });
  }
  return criteria;
}

const satisfiesAll = (user: User, criteria: readonly Criterion[]): boolean =>
  criteria.every((criterion) => user.loginMethods.some((method) => criterion.matches(method)));
