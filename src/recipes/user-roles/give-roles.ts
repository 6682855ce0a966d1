import type { AppNumber, TenantNumber } from '../../store/store.ts';
import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Reader, Transaction } from '../../store/store.ts';
import { assignments, roles } from './records.ts';

/** The ids of the roles of an app that have these names, in one round; names that no role has are left out. */
export async function roleIds(reader: Reader, app: AppNumber, names: readonly string[]): Promise<Map<string, string>> {
  const found = await reader.getMany(names.map((name) => ({ collection: roles, key: [app, name] as const })));
  return new Map(found.flatMap((role) => (role ? [[role.name, role.id] as const] : [])));
}

/** A role in a tenant. Its id is read in the same transaction: the commit fails if the role is removed meanwhile. */
export interface GivenRole {
  readonly tenant: TenantNumber;
  readonly role: string;
  readonly roleId: string;
}

/** Gives a user id roles, in the caller's transaction; those it has already stay. */
export function giveRoles(tx: Transaction, app: AppNumber, userId: string, given: readonly GivenRole[]): MaybePromise<void> {
  const puts = given.map(({ tenant, role, roleId }) => tx.put(assignments, { app, tenant, userId, role, roleId }));
  return whenReady(allReady(puts), () => undefined);
}
