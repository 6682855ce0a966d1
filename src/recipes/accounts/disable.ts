import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { findId } from './find.ts';
import { membersOf } from './login-methods.ts';
import { type LoginMethodRecord, loginMethods } from './records.ts';

/*
 * A disabled user cannot sign in and has no sessions. Each login method bears the mark, since whoever signs somebody in
 * has read it anyway; so a method that leaves its group stays disabled, and one that joins a disabled group becomes so.
 */

/** Marks all login methods of whoever has an id as disabled, or no longer; answers whether the user exists. */
export async function setDisabled(tx: Transaction, app: AppNumber, id: string, isDisabled: boolean): Promise<boolean> {
  const found = await findId(tx, app, id);
  if (!found) return false;
  const members = await membersOf(tx, app, found.primaryUserId);
  const isDisabledNow = isDisabled || undefined;
  await Promise.all(members.map((member) => tx.put(loginMethods, { ...member, isDisabled: isDisabledNow })));
  return true;
}

/** Whether these login methods are a disabled user's. */
export const areDisabled = (methods: readonly LoginMethodRecord[]): boolean => methods.some(({ isDisabled }) => isDisabled === true);

/** Whether the user with this internal primary id, whose own login method may be gone, is disabled. */
export function isUserDisabled(reader: Reader, app: AppNumber, primaryUserId: LoginMethodRecord['id']): MaybePromise<boolean> {
  return whenReady(membersOf(reader, app, primaryUserId), areDisabled);
}
