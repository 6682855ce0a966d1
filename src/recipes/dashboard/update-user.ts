import type { Commands } from '../../generated/commands.ts';
import { type JsonText, parseJson } from '../../json/free-form.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { guardOperator } from '../operators/guard.ts';
import { endSessionsOf } from '../operators/sessions.ts';
import type { ApiScope } from '../tenants/api-keys.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { hashParameters } from '../email-password/hash-parameters.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { normaliseEmail, trimBlanks } from '../normalise.ts';
import type { CreateUserResult } from './create-user.ts';
import { isDashboardEmail } from './email-rule.ts';
import { passwordComplaint } from './password-rule.ts';
import { dashboardUsers } from './records.ts';
import { removeSessionsOf } from './sessions.ts';
import { forgetDashboardFailures } from './sign-in-limits.ts';
import { findUser, requireUserName, type UserName } from './user-lookup.ts';

export type UpdateUserResult = CreateUserResult | { readonly status: 'UNKNOWN_USER_ERROR' };

/**
 * `PUT /recipe/dashboard/user` (contract 05 section 5.3). The input is checked before the app is looked for; the user's
 * sessions end even when nothing changes.
 */
export async function updateUser(context: Context, command: Commands['dashboard/update-user']): Promise<UpdateUserResult> {
  const newEmail = command.newEmail === undefined ? undefined : normaliseEmail(command.newEmail);
  if (newEmail !== undefined && !isDashboardEmail(newEmail)) return { status: 'INVALID_EMAIL_ERROR' };
  context.checkLate();
  const newPassword = trimmed('newPassword', command.newPassword);
  const message = newPassword === undefined ? undefined : passwordComplaint(context, newPassword);
  if (message !== undefined) return { status: 'PASSWORD_WEAK_ERROR', message };
  const userId = trimmed('userId', textOf('userId', command.userId));
  const name = { userId, email: userId === undefined ? textOf('email', command.email) : undefined };
  requireUserName(name);
  const tenant = await SCOPES.app(context.address, context.traits, context.directory);
  const passwordHash =
    newPassword === undefined ? undefined : await context.crypto.hashPassword(newPassword, hashParameters(tenant.config));
  return context.store.transact(async (tx) => {
    const result = await change(tx, tenant, name, { newEmail, passwordHash, scopes: context.scopes });
    if (result.status !== 'OK') return result;
    const changed = [newEmail !== undefined && 'email', passwordHash !== undefined && 'password'].filter((name) => name !== false);
    const details = { operator: result.user.id, changed: changed.join(',') };
    await recordEvent(tx, context, 'operator.changed', { at: tenant, details });
    return result;
  });
}

/** Sets the password of a user, with what belongs to that in the same transaction. @param proceed when it is set */
export async function changePassword<R>(
  context: Context,
  userId: string,
  password: string,
  proceed: (tx: Transaction) => Promise<R>,
): Promise<R | Extract<CreateUserResult, { status: 'PASSWORD_WEAK_ERROR' }>> {
  const { tenant } = context;
  const newPassword = trimBlanks(password);
  const message = passwordComplaint(context, newPassword);
  if (message !== undefined) return { status: 'PASSWORD_WEAK_ERROR', message };
  const passwordHash = await context.crypto.hashPassword(newPassword, hashParameters(tenant.config));
  return context.store.transact(async (tx) => {
    // Whoever is asked is the user, by the password before.
    const result = await change(tx, tenant, { userId }, { newEmail: undefined, passwordHash, scopes: ['all'] });
    if (result.status !== 'OK') throw new Refusal('signed-out');
    await recordEvent(tx, context, 'operator.changed', { details: { operator: userId, changed: 'password' } });
    return proceed(tx);
  });
}

interface Change {
  readonly newEmail: string | undefined;
  readonly passwordHash: string | undefined;
  /** Of the caller. */
  readonly scopes: readonly ApiScope[];
}

async function change(tx: Transaction, tenant: Tenant, name: UserName, asked: Change): Promise<UpdateUserResult> {
  const { newEmail, passwordHash, scopes } = asked;
  const { app } = tenant;
  const found = await findUser(tx, app, name);
  if (!found) return { status: 'UNKNOWN_USER_ERROR' };
  await guardOperator(tx, app, found.id, scopes);
  const user = { ...found, email: newEmail ?? found.email, passwordHash: passwordHash ?? found.passwordHash };
  if ((await tx.put(dashboardUsers, user)) !== undefined) return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
  await Promise.all([removeSessionsOf(tx, app, user.id), endSessionsOf(tx, app, user.id)]);
  if (passwordHash !== undefined) await forgetDashboardFailures(tx, tenant, [found.email, user.email]);
  return { status: 'OK', user };
}

/** An optional field's text, read only when asked for (contract 01 section 2.11). @throws Refusal if it is no text */
function textOf(field: string, value: JsonText | undefined): string | undefined {
  if (value === undefined) return undefined;
  const read = parseJson(value);
  const text = Array.isArray(read) && read.length === 1 ? read[0] : read;
  if (typeof text !== 'string') throw new Refusal('field-invalid', { field });
  return text;
}

/** The trimmed text of an optional field. @throws Refusal where nothing is left of it */
function trimmed(field: string, value: string | undefined): string | undefined {
  const text = value === undefined ? undefined : trimBlanks(value);
  if (text === '') throw new Refusal('field-empty', { field });
  return text;
}
