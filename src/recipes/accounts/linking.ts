import type { Reader, Transaction } from '../../store/store.ts';
import { Refusal } from '../refusal.ts';
import { areDisabled } from './disable.ts';
import type { InternalUserId } from './ids.ts';
import { GROUP_LIMIT, type LoginMethodRecord, membersOf, writeUser } from './login-methods.ts';
import { loginMethods, type ReservationRecord, users } from './records.ts';
import { type Conflict, findConflict, releaseUnused, reservationsFor, reserve } from './reservations.ts';

export type { Conflict };

/** What a login method that stands alone is about to become; nothing of it is written. */
export interface Joining {
  readonly before: LoginMethodRecord;
  /** All members of the user then, in the order of their ids; all are disabled if one of them was. */
  readonly members: readonly LoginMethodRecord[];
  /** What they reserve together. */
  readonly wanted: readonly ReservationRecord[];
}

/** A join that can be made, or what stands in its way (contract 03 section 1.5). */
export type JoiningCheck =
  | { readonly conflict: Conflict; readonly joining?: never }
  | { readonly conflict?: never; readonly joining: Joining };

/** Whether a login method that stands alone can become a primary user. */
export function checkMakingPrimary(reader: Reader, method: LoginMethodRecord): Promise<JoiningCheck> {
  return check(reader, method, [{ ...method, isPrimary: true }]);
}

/** Whether a login method that stands alone can be linked to a primary user. @throws Refusal for a full group */
export async function checkLinking(reader: Reader, primaryUserId: InternalUserId, method: LoginMethodRecord): Promise<JoiningCheck> {
  const members = await membersOf(reader, method.app, primaryUserId);
  if (members.length >= GROUP_LIMIT) throw new Refusal('bad-input', { text: `A user can have at most ${GROUP_LIMIT} login methods` });
  const linked = { ...method, primaryUserId, isPrimary: true };
  const all = [...members, linked].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return check(reader, method, areDisabled(all) ? all.map((member) => ({ ...member, isDisabled: true })) : all);
}

async function check(reader: Reader, before: LoginMethodRecord, members: readonly LoginMethodRecord[]): Promise<JoiningCheck> {
  const wanted = reservationsFor(members[0]?.primaryUserId ?? before.id, members);
  const conflict = await findConflict(reader, wanted);
  return conflict ? { conflict } : { joining: { before, members, wanted } };
}

/** Writes a join found possible in the same transaction: then all the user's infos are reserved in all its tenants. */
export async function join(tx: Transaction, { before: { app, id }, members, wanted }: Joining): Promise<void> {
  const primaryUserId = members.find((member) => member.id === id)?.primaryUserId ?? id;
  // One who is disabled, or joins the disabled, may have changed the others.
  const changed = areDisabled(members) ? members : members.filter((member) => member.id === id);
  await Promise.all([
    reserve(tx, wanted),
    ...changed.map((member) => tx.put(loginMethods, member)),
    primaryUserId === id ? undefined : tx.delete(users, [app, id]),
    writeUser(tx, app, primaryUserId, members),
  ]);
}

/**
 * Makes a member of a group, or a primary user with no other member, stand alone.
 * @param members all of the user's; a member whose id is the user's has no others beside it
 */
export async function unlinkMethod(tx: Transaction, members: readonly LoginMethodRecord[], method: LoginMethodRecord): Promise<void> {
  const { app, id, primaryUserId } = method;
  const alone = { ...method, primaryUserId: id, isPrimary: false };
  const remaining = members.filter((member) => member.id !== id);
  await Promise.all([
    tx.put(loginMethods, alone),
    releaseUnused(tx, app, primaryUserId, remaining),
    primaryUserId === id ? undefined : writeUser(tx, app, primaryUserId, remaining),
    writeUser(tx, app, id, [alone]),
  ]);
}

/**
 * Removes some of one user's login methods, of which `members` are all. A primary user whose own method goes stays,
 * under its id, as long as it has others (contract 03 section 1.6).
 */
export async function removeMethods(
  tx: Transaction,
  members: readonly LoginMethodRecord[],
  going: readonly LoginMethodRecord[],
): Promise<void> {
  const [first] = going;
  if (!first) return;
  const { app, primaryUserId } = first;
  const gone = new Set(going.map(({ id }) => id));
  const remaining = members.filter(({ id }) => !gone.has(id));
  await Promise.all([
    ...going.map(({ id }) => tx.delete(loginMethods, [app, id])),
    releaseUnused(tx, app, primaryUserId, remaining),
    writeUser(tx, app, primaryUserId, remaining),
  ]);
}
