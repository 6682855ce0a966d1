import type { Commands } from '../../generated/commands.ts';
import type { Reader, Transaction } from '../../store/store.ts';
import { removeLastActive } from '../active-users/remove.ts';
import type { Context } from '../context.ts';
import { removeResetTokens } from '../email-password/reset-tokens.ts';
import { contactsOf } from '../passwordless/contact.ts';
import { removeDevicesOfContacts } from '../passwordless/devices.ts';
import { mappingByExternalId, mappingByInternalId } from '../user-id-mapping/lookups.ts';
import { removeMappingOfUser } from '../user-id-mapping/write-mapping.ts';
import { findId, isUserId } from './find.ts';
import { removeMethod } from './linking.ts';
import { type LoginMethodRecord, membersOf } from './login-methods.ts';
import { removeNonAuthData } from './non-auth-data.ts';

/** `POST /user/remove` (contract 01 section 3.10, contract 03 section 7.3). Who does not exist is removed already. */
export async function removeUser({ store, tenant }: Context, command: Commands['users/remove-user']): Promise<void> {
  const { app } = tenant;
  const withLinked = command.removeAllLinkedAccounts ?? true;
  await store.transact(async (tx) => {
    const found = await findId(tx, app, command.userId);
    if (!found) return;
    const { internalId, primaryUserId } = found;
    const members = await membersOf(tx, app, primaryUserId);
    const user = new Set([primaryUserId, ...members.map((member) => member.id)]);
    // A primary id whose data may be another user's loses its login method only, whatever was asked for.
    const goesAlone = !withLinked || (internalId === primaryUserId && (await sharesData(tx, app, internalId, user)));
    const isGoing = (id: string): boolean => !goesAlone || id === internalId;
    const going = members.filter((member) => isGoing(member.id));
    const isLast = going.length === members.length;
    const ids = going.map((member) => member.id).filter((id) => id !== primaryUserId);
    await removeUserData(tx, app, isLast ? [...ids, primaryUserId] : ids);
    for (const method of going) await removeLoginMethod(tx, method);
  });
}

/**
 * Removes a login method with what belongs to it alone: its look-ups and reservations, reset tokens, and the passwordless devices of its
 * contacts. Its mapping and what other recipes keep under its id stay.
 */
export async function removeLoginMethod(tx: Transaction, method: LoginMethodRecord): Promise<void> {
  await removeMethod(tx, method);
  await removeResetTokens(tx, method.app, method.id);
  if (method.recipe === 'passwordless') await removeDevicesOfContacts(tx, method.app, method.tenants, contactsOf(method));
}

/**
 * Removes what is kept for internal ids that go together, besides login methods: mappings, reset tokens (a primary id whose own method is
 * gone may have some), and what other recipes keep under their outer ids, unless it may be another user's.
 */
async function removeUserData(tx: Transaction, app: number, ids: readonly string[]): Promise<void> {
  const going = new Set(ids);
  for (const id of ids) {
    const isShared = await sharesData(tx, app, id, going);
    const mapping = await removeMappingOfUser(tx, app, id);
    if (!isShared) await removeNonAuthData(tx, app, mapping?.externalUserId ?? id);
    await removeLastActive(tx, app, id);
    await removeResetTokens(tx, app, id);
  }
}

/**
 * Whether what other recipes keep under the outer id of a user may be somebody else's: a mapping that was forced made the internal id of
 * one user the external id of another.
 * @param together internal ids that count as one with it
 */
async function sharesData(reader: Reader, app: number, id: string, together: ReadonlySet<string>): Promise<boolean> {
  const [own, foreign] = await reader.getMany([mappingByInternalId(app, id), mappingByExternalId(app, id)]);
  const other = own ? own.externalUserId : foreign?.superTokensUserId;
  return other !== undefined && !together.has(other) && (await isUserId(reader, app, other));
}
