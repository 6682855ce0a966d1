import { type MaybePromise, type Reader, type Transaction, whenReady } from '../../store/store.ts';
import type { Tenant } from '../context.ts';
import { type LoginMethodRecord, loginMethods } from './records.ts';

export type { LoginMethodRecord };

/** Users with one account info whom an answer may show; emails of third parties are not unique. */
const SAME_INFO_LIMIT = 1000;

/** The internal id of the email/password login method that has this email in this tenant. */
export function idByEmail(reader: Reader, tenant: Tenant, email: string): MaybePromise<string | undefined> {
  const prefix = [tenant.app, tenant.tenant, 'emailpassword', 'email', email];
  return whenReady(reader.keys(loginMethods, 'accountInfo', { prefix, limit: 1 }), ([key]) =>
    key === undefined ? undefined : String(key[1]),
  );
}

/** One account info to look for; `tparty` needs both of its parts. */
export type AccountInfoKey = readonly ['email', string] | readonly ['phone', string] | readonly ['tparty', string, string];

/** Every login method of a tenant that has an account info, whatever its recipe. */
export function listByAccountInfo(reader: Reader, tenant: Tenant, info: AccountInfoKey): MaybePromise<LoginMethodRecord[]> {
  return reader.list(loginMethods, 'byAccountInfo', { prefix: [tenant.app, tenant.tenant, ...info], limit: SAME_INFO_LIMIT });
}

/** Adds a login method; answers `duplicate` where its email, phone number or third-party pair is taken in one of its tenants. */
export async function addLoginMethod(tx: Transaction, method: LoginMethodRecord): Promise<'added' | 'duplicate'> {
  return (await tx.insert(loginMethods, method)) === undefined ? 'added' : 'duplicate';
}
