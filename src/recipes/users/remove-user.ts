import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { removeLastActive } from '../active-users/remove.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { mappingByExternalId, mappingByInternalId } from '../accounts/mappings.ts';
import { removeMappingOfUser } from '../accounts/write-mapping.ts';
import { findId, isUserId } from '../accounts/find.ts';
import { removeMethods } from '../accounts/linking.ts';
import { type LoginMethodRecord, membersOf } from '../accounts/login-methods.ts';
import { removeDataOfId, removeDataOfMethod, type UserData } from '../user-data.ts';
import { asExternal, type InternalUserId } from '../accounts/ids.ts';

/** `POST /user/remove` (contract 01 section 3.10, contract 03 section 7.3). Who does not exist is removed already. */
export async function removeUser(context: Context, command: Commands['users/remove-user']): Promise<void> {
  const { store, tenant, userData } = context;
  const { app } = tenant;
  const withLinked = command.removeAllLinkedAccounts ?? true;
  await store.transact(async (tx) => {
    const found = await findId(tx, app, command.userId);
    if (!found) return;
    const { internalId, primaryUserId } = found;
    const members = await membersOf(tx, app, primaryUserId);
    const user = new Set([primaryUserId, ...members.map((member) => member.id)]);
    // A primary id whose data may be another user's loses its login method only, whatever was asked for.
    const goesAlone = !withLinked || (internalId === primaryUserId && (await ownIds(tx, app, internalId, user)).outer === undefined);
    const isGoing = (id: string): boolean => !goesAlone || id === internalId;
    const going = members.filter((member) => isGoing(member.id));
    const isLast = going.length === members.length;
    const ids = going.map((member) => member.id).filter((id) => id !== primaryUserId);
    await recordEvent(tx, context, 'user.removed', { userId: command.userId, details: { isWhole: isLast } });
    await Promise.all([
      removeUserData(userData, tx, app, isLast ? [...ids, primaryUserId] : ids),
      removeLoginMethods(userData, tx, members, going),
      // A primary id whose own login method is gone may have tokens all the same.
      isLast && !going.some(({ id }) => id === primaryUserId) ? removeDataOfMethod(userData, tx, app, primaryUserId, undefined) : undefined,
    ]);
  });
}

/**
 * Removes some of a user's login methods (`members` are all of them) with their look-ups, their reservations and what
 * recipes keep for them. Mappings and what recipes keep under user ids stay.
 */
export async function removeLoginMethods(
  userData: readonly UserData[],
  tx: Transaction,
  members: readonly LoginMethodRecord[],
  going: readonly LoginMethodRecord[],
): Promise<void> {
  await Promise.all([
    removeMethods(tx, members, going),
    ...going.map((method) => removeDataOfMethod(userData, tx, method.app, method.id, method)),
  ]);
}

/**
 * Removes mappings, activity and what other recipes keep under internal ids that go together, unless it may be another
 * user's. Also removes what was kept under an internal id before its mapping was forced: a session there would outlive
 * the user.
 */
async function removeUserData(all: readonly UserData[], tx: Transaction, app: AppNumber, ids: readonly InternalUserId[]): Promise<void> {
  const going = new Set(ids);
  // All are asked before any mapping goes. Two of them may have one outer id.
  const own = await Promise.all(ids.map((id) => ownIds(tx, app, id, going)));
  const keepers = new Set(own.flatMap(({ outer, inner }) => [outer, inner]));
  await Promise.all([
    ...[...keepers].map((id) => (id === undefined ? undefined : removeDataOfId(all, tx, app, id))),
    ...ids.flatMap((id) => [removeMappingOfUser(tx, app, id), removeLastActive(tx, app, id)]),
  ]);
}

/** The ids under which other recipes keep what is a user's; `undefined` where it may be somebody else's. */
interface OwnIds {
  /** The external one of mapped users. */
  readonly outer: string | undefined;
  readonly inner: string | undefined;
}

/**
 * A forced mapping makes one user's internal id the external id of another: nobody knows whose the data under it is.
 * @param together internal ids that count as one with it
 */
async function ownIds(reader: Reader, app: AppNumber, id: InternalUserId, together: ReadonlySet<string>): Promise<OwnIds> {
  const [own, foreign] = await reader.getMany([mappingByInternalId(app, id), mappingByExternalId(app, asExternal(id))]);
  const isOthers = async (other: string | undefined): Promise<boolean> =>
    other !== undefined && !together.has(other) && isUserId(reader, app, other);
  const [isOuterOthers, isInnerOthers] = await Promise.all([isOthers(own?.externalUserId), isOthers(foreign?.superTokensUserId)]);
  const inner = isInnerOthers ? undefined : id;
  if (!own) return { outer: inner, inner };
  return { outer: isOuterOthers ? undefined : own.externalUserId, inner };
}
