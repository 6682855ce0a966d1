import type { AppNumber, Reader } from '../../store/store.ts';
import { Refusal } from '../refusal.ts';
import { normaliseEmail, trimBlanks } from '../normalise.ts';
import { type DashboardUserRecord, dashboardUsers } from './records.ts';

/** How a caller names a dashboard user; the id wins. */
export interface UserName {
  readonly userId?: string | undefined;
  readonly email?: string | undefined;
}

/** @throws Refusal when the caller names nobody; beside an id, the email is not looked at */
export function requireUserName({ userId, email }: UserName): void {
  if (userId !== undefined) return;
  if (email === undefined) throw new Refusal('bad-input', { text: "Either field 'email' or 'userId' must be present" });
  if (trimBlanks(email) === '') throw new Refusal('field-empty', { field: 'email' });
}

/** The user that is named, if there is one. */
export async function findUser(reader: Reader, app: AppNumber, { userId, email = '' }: UserName): Promise<DashboardUserRecord | undefined> {
  if (userId !== undefined) return reader.get(dashboardUsers, [app, userId]);
  return reader.find(dashboardUsers, 'byEmail', [app, normaliseEmail(email)]);
}
