import { canMatch, isFirebaseHash, isForeignHash } from '../../crypto/password-hashes.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { idByInfo, type LoginMethodRecord, methodById } from '../accounts/login-methods.ts';
import { normaliseEmail } from '../normalise.ts';
import { loadMethodWithUser, type User } from '../users/user.ts';
import { requireEmailPassword } from './enabled.ts';
import { withinLimits } from './failure-limits.ts';
import { hashParameters } from './hash-parameters.ts';
import { rehashLater } from './rehash.ts';
import { signInLimits } from './sign-in-failures.ts';
import { requireSignerKey } from './signer-key.ts';

export type SignInResult =
  | { readonly status: 'WRONG_CREDENTIALS_ERROR' }
  | { readonly status: 'OK'; readonly user: User; readonly recipeUserId: string };

const WRONG: SignInResult = { status: 'WRONG_CREDENTIALS_ERROR' };

/** `POST /recipe/signin` (contract 03 section 2.2). Over a limit nothing is checked, whether or not the user exists. */
export async function signIn(context: Context, command: Commands['email-password/sign-in']): Promise<SignInResult> {
  requireEmailPassword(context);
  const email = normaliseEmail(command.email);
  const found = await context.store.read((reader) => findByEmail(reader, context, email));
  const limits = await signInLimits(context, email, found?.method);
  return (await withinLimits(context, limits, () => checkPassword(context, found, email, command.password))) ?? WRONG;
}

/** The login method with an email in a tenant, and whose it is. */
interface Found {
  readonly method: LoginMethodRecord;
  readonly user: User;
}

/** Unknown and disabled users cost as much hashing as others, and as one whose imported hash no password matches. */
async function checkPassword(context: Context, found: Found | undefined, email: string, password: string): Promise<SignInResult> {
  const { store, tenant, activity } = context;
  const own = found?.method.passwordHash ?? '';
  if (isFirebaseHash(own)) requireSignerKey(tenant);
  const isOwn = canMatch(own);
  const matches = await verify(context, isOwn ? own : undefined, password);
  if (!found || !matches || found.method.isDisabled) return WRONG;
  const { user, method } = found;
  const isThere = async (reader: Reader): Promise<boolean> => (await methodById(reader, tenant.app, method.id)) !== undefined;
  await activity.touch(store, tenant.app, user.internalId, context.now(), isThere);
  rehashLater(context, method, password);
  // A group may hold several email/password logins with one email, but only the one that was checked is in this tenant.
  const shown = user.loginMethods.find(
    (each) => each.recipe === 'emailpassword' && each.email === email && each.tenantIds.includes(tenant.tenantId),
  );
  return { status: 'OK', user, recipeUserId: shown?.recipeUserId ?? method.id };
}

/**
 * Hashes for nothing where a user has no hash. Beside a hash of another system too, since many of those cost next to
 * nothing: without that, a quick answer would tell who has an account. Both run at once, so that neither adds up.
 */
async function verify({ crypto, tenant }: Context, own: string | undefined, password: string): Promise<boolean> {
  const check = (hash: string): Promise<boolean> =>
    crypto.verifyPassword(password, hash, tenant.appConfig.firebase_password_hashing_signer_key);
  if (own !== undefined && !isForeignHash(own)) return check(own);
  const unknown = check(await crypto.unknownUserHash(hashParameters(tenant.config)));
  const [matches] = await Promise.all([own !== undefined && check(own), unknown]);
  return matches;
}

async function findByEmail(reader: Reader, { tenant, directory }: Context, email: string): Promise<Found | undefined> {
  const id = await idByInfo(reader, tenant, 'emailpassword', ['email', email]);
  return id === undefined ? undefined : loadMethodWithUser(reader, directory, { app: tenant.app, id, email });
}
