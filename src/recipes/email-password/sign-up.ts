import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { markEmailVerified } from '../email-verification/lookups.ts';
import { addLoginMethod, newLoginMethod } from '../accounts/login-methods.ts';
import { normaliseEmail } from '../normalise.ts';
import { loadUser, type User } from '../users/user.ts';
import { requireEmailPassword } from './enabled.ts';
import { hashParameters } from './hash-parameters.ts';
import { refuseBlocked } from './refuse-blocked.ts';

export type SignUpResult =
  | { readonly status: 'EMAIL_ALREADY_EXISTS_ERROR' }
  | { readonly status: 'OK'; readonly user: User; readonly recipeUserId: string };

/** Addresses that SDKs invent for users without one; they count as verified (contract 03 section 1.2). */
const FAKE_EMAIL = /(@stfakeemail\.supertokens\.com|\.fakeemail\.com)$/;

/** `POST /recipe/signup` (contract 03 section 2.1). The hash is made first; a unique index decides between rivals. */
export async function signUp(context: Context, command: Commands['email-password/sign-up']): Promise<SignUpResult> {
  const { store, crypto, tenant, directory, activity } = context;
  requireEmailPassword(context);
  refuseBlocked(context, command.password);
  const email = normaliseEmail(command.email);
  const passwordHash = await crypto.hashPassword(command.password, hashParameters(tenant.config));
  const method = newLoginMethod(context, { recipe: 'emailpassword', email, passwordHash });
  const { id, timeJoined } = method;
  const outcome = await store.transact(async (tx) => {
    if ((await addLoginMethod(tx, method)) === 'duplicate') return 'duplicate';
    if (FAKE_EMAIL.test(email)) await markEmailVerified(tx, tenant.app, id, email);
    await recordEvent(tx, context, 'user.created', { userId: id, details: { recipe: 'emailpassword' } });
    return activity.record(tx, tenant.app, id, timeJoined);
  });
  if (outcome === 'duplicate') return { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
  activity.written(outcome);
  const user = await store.read((reader) => loadUser(reader, directory, method));
  return { status: 'OK', user, recipeUserId: id };
}
