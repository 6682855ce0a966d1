import type { Commands } from '../../generated/commands.ts';
import type { Reader } from '../../store/store.ts';
import { findId } from '../accounts/find.ts';
import { allIdsOfUser } from '../accounts/identity.ts';
import { idByInfo, type LoginMethodRecord, membersOf } from '../accounts/login-methods.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { forgetFailures } from '../email-password/sign-in-failures.ts';
import { normaliseEmail } from '../normalise.ts';
import { Refusal } from '../refusal.ts';
import { forgetTotpFailures } from '../totp/forget-failures.ts';
import { UNKNOWN_USER, type UnknownUser } from './unknown-user.ts';

type Command = Commands['management/unlock-user'];

interface Locked {
  readonly methods: readonly LoginMethodRecord[];
  readonly ids: readonly string[];
}

/**
 * `POST /manage/v1/user/unlock`: forgets failed sign-ins by password and wrong TOTP codes of a user, in all tenants.
 * The user is named by an id, or by the email of a password in the addressed tenant. @throws Refusal
 */
export async function unlockUser(context: Context, command: Command): Promise<UnknownUser | { readonly status: 'OK' }> {
  const { store, tenant } = context;
  if ((command.userId === undefined) === (command.email === undefined)) {
    throw new Refusal('bad-input', { text: "Exactly one of the fields 'userId' and 'email' must be present" });
  }
  const locked = await store.read((reader) => lockedOf(reader, context, command));
  if (!locked) return UNKNOWN_USER;
  for (const method of locked.methods) if (method.recipe === 'emailpassword') await forgetFailures(context, method);
  await store.transact(async (tx) => {
    for (const userId of locked.ids) await forgetTotpFailures(tx, { app: tenant.app, userId });
    await recordEvent(tx, context, 'user.unlocked', { userId: command.userId ?? locked.ids[0] });
  });
  return { status: 'OK' };
}

async function lockedOf(reader: Reader, { tenant }: Context, { userId, email = '' }: Command): Promise<Locked | undefined> {
  const id = userId ?? (await idByInfo(reader, tenant, 'emailpassword', ['email', normaliseEmail(email)]));
  const found = id === undefined ? undefined : await findId(reader, tenant.app, id);
  if (!found) return undefined;
  const methods = await membersOf(reader, tenant.app, found.primaryUserId);
  return { methods, ids: await allIdsOfUser(reader, tenant.app, found.primaryUserId) };
}
