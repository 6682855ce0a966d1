import type { Reader, Transaction } from '../../store/store.ts';
import { Refusal } from '../refusal.ts';
import { GROUP_LIMIT, type LoginMethodRecord, membersOf, settleUser } from './login-methods.ts';
import { loginMethods } from './records.ts';
import { type Conflict, findConflict, releaseUnused, reservationsFor, reserve } from './reservations.ts';

export type { Conflict };

/** What keeps a login method that stands alone from becoming a primary user (contract 03 section 1.5). */
export function primaryObstacle(reader: Reader, method: LoginMethodRecord): Promise<Conflict | undefined> {
  return findConflict(reader, reservationsFor(method.id, [method]));
}

/** Makes a login method that stands alone a primary user. With a conflict nothing was written. */
export async function makePrimary(tx: Transaction, method: LoginMethodRecord): Promise<Conflict | undefined> {
  const conflict = await primaryObstacle(tx, method);
  if (conflict) return conflict;
  await reserve(tx, reservationsFor(method.id, [method]));
  await tx.put(loginMethods, { ...method, isPrimary: true });
  await settleUser(tx, method.app, method.id);
  return undefined;
}

/** What keeps a login method that stands alone from being linked to a primary user. */
export async function linkObstacle(reader: Reader, primaryUserId: string, method: LoginMethodRecord): Promise<Conflict | undefined> {
  const members = await membersOf(reader, method.app, primaryUserId);
  return findConflict(reader, reservationsFor(primaryUserId, [...members, method]));
}

/**
 * Links a login method that stands alone to a primary user, all of whose infos are then reserved in all of its tenants.
 * With a conflict nothing was written. @throws Refusal for a group that is full
 */
export async function linkMethod(tx: Transaction, primaryUserId: string, method: LoginMethodRecord): Promise<Conflict | undefined> {
  const { app } = method;
  const members = await membersOf(tx, app, primaryUserId);
  if (members.length >= GROUP_LIMIT) throw new Refusal('bad-input', { text: `A user can have at most ${GROUP_LIMIT} login methods` });
  const wanted = reservationsFor(primaryUserId, [...members, method]);
  const conflict = await findConflict(tx, wanted);
  if (conflict) return conflict;
  await reserve(tx, wanted);
  await tx.put(loginMethods, { ...method, primaryUserId, isPrimary: true });
  await settleUser(tx, app, method.id);
  await settleUser(tx, app, primaryUserId);
  return undefined;
}

/** Makes a member of a group, or a primary user with no other member, stand alone. */
export async function unlinkMethod(tx: Transaction, method: LoginMethodRecord): Promise<void> {
  const { app, id, primaryUserId } = method;
  await tx.put(loginMethods, { ...method, primaryUserId: id, isPrimary: false });
  await leaveGroup(tx, app, primaryUserId, id);
  await settleUser(tx, app, id);
}

/** Removes a login method. A primary user whose own method it was stays, under its id, as long as it has others (contract 03 section 1.6). */
export async function removeMethod(tx: Transaction, { app, id, primaryUserId }: LoginMethodRecord): Promise<void> {
  await tx.delete(loginMethods, [app, id]);
  await leaveGroup(tx, app, primaryUserId, id);
}

async function leaveGroup(tx: Transaction, app: number, primaryUserId: string, leaving: string): Promise<void> {
  const members = await membersOf(tx, app, primaryUserId);
  const remaining = members.filter((member) => member.id !== leaving);
  await releaseUnused(tx, app, primaryUserId, remaining);
  await settleUser(tx, app, primaryUserId);
}
