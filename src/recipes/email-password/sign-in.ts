import type { Commands } from '../../generated/commands.ts';
import type { Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { idByInfo, type LoginMethodRecord } from '../users/login-methods.ts';
import { normaliseEmail } from '../users/normalise.ts';
import { loadMethodWithUser, type User } from '../users/user.ts';
import { requireEmailPassword } from './enabled.ts';
import { hashParameters } from './hash-parameters.ts';

export type SignInResult =
  | { readonly status: 'WRONG_CREDENTIALS_ERROR' }
  | { readonly status: 'OK'; readonly user: User; readonly recipeUserId: string };

/** `POST /recipe/signin` (contract 03 section 2.2). An unknown email costs the same hash work as a known one. */
export async function signIn(context: Context, command: Commands['email-password/sign-in']): Promise<SignInResult> {
  const { store, crypto, tenant, activity } = context;
  requireEmailPassword(context);
  const email = normaliseEmail(command.email);
  const found = await store.read((reader) => findByEmail(reader, context, email));
  const passwordHash = found?.method.passwordHash ?? (await crypto.unknownUserHash(hashParameters(tenant.config)));
  const matches = await crypto.verifyPassword(command.password, passwordHash, tenant.appConfig.firebase_password_hashing_signer_key);
  if (!found || !matches) return { status: 'WRONG_CREDENTIALS_ERROR' };
  const { user, method } = found;
  await activity.touch(store, tenant.app, user.internalId, context.now());
  const own = user.loginMethods.find(
    (each) => each.recipe === 'emailpassword' && each.email === email && each.tenantIds.includes(tenant.tenantId),
  );
  return { status: 'OK', user, recipeUserId: own?.recipeUserId ?? method.id };
}

async function findByEmail(
  reader: Reader,
  { tenant, directory }: Context,
  email: string,
): Promise<{ readonly method: LoginMethodRecord; readonly user: User } | undefined> {
  const id = await idByInfo(reader, tenant, 'emailpassword', ['email', email]);
  return id === undefined ? undefined : loadMethodWithUser(reader, directory, { app: tenant.app, id, email });
}
