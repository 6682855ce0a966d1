import type { HashParameters } from '../../crypto/crypto.ts';
import { isForeignHash, shouldRehash } from '../../crypto/password-hashes.ts';
import type { AppNumber } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { changeLoginMethod, type LoginMethodRecord, methodById } from '../accounts/login-methods.ts';
import type { InternalUserId } from '../accounts/ids.ts';
import { hashParameters } from './hash-parameters.ts';

/**
 * Renews a weak hash of a right password in the background: one of another system always, others if configured. The
 * next sign-in retries what fails.
 */
export function rehashLater(context: Context, { app, id, passwordHash }: LoginMethodRecord, password: string): void {
  const { config } = context.tenant;
  if (passwordHash === null || !(config.password_rehash_on_sign_in || isForeignHash(passwordHash))) return;
  const parameters = hashParameters(config);
  if (!shouldRehash(passwordHash, password, parameters)) return;
  rehash(context, { app, id, passwordHash }, password, parameters).catch((error: unknown) => {
    // The old hash stays, and it is good.
    context.dropped(error, 'renewing a password hash failed');
  });
}

/** The new hash is kept only if the old one is still there: a password that was changed meanwhile stays changed. */
async function rehash(
  { crypto, store }: Context,
  { app, id, passwordHash }: { readonly app: AppNumber; readonly id: InternalUserId; readonly passwordHash: string },
  password: string,
  parameters: HashParameters,
): Promise<void> {
  const stronger = await crypto.hashPassword(password, parameters, { lane: 'import' });
  await store.transact(async (tx) => {
    const method = await methodById(tx, app, id);
    if (method?.passwordHash === passwordHash) await changeLoginMethod(tx, method, { passwordHash: stronger });
  });
}
