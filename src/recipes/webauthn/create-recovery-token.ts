import type { Commands } from '../../generated/commands.ts';
import { findId } from '../accounts/find.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../normalise.ts';
import { recoveryTokens } from './records.ts';
import { hashOfRecoveryToken, newRecoveryToken } from './recovery-tokens.ts';

export type CreatedRecoveryToken = { readonly status: 'UNKNOWN_USER_ID_ERROR' } | { readonly status: 'OK'; readonly token: string };

/** `POST /recipe/webauthn/user/recover/token` (contract 07 section 5.1), for users of any recipe. Older tokens stay. */
export function createRecoveryToken(context: Context, command: Commands['webauthn/create-recovery-token']): Promise<CreatedRecoveryToken> {
  const { store, tenant, now, randomBytes } = context;
  const { app } = tenant;
  const token = newRecoveryToken(randomBytes);
  const expiresAt = now() + tenant.appConfig.webauthn_recover_account_token_lifetime;
  return store.transact(async (tx) => {
    const found = await findId(tx, app, command.userId);
    if (!found) return { status: 'UNKNOWN_USER_ID_ERROR' };
    const record = { app, tenant: tenant.tenant, tokenHash: hashOfRecoveryToken(token), userId: found.internalId, expiresAt };
    await tx.insert(recoveryTokens, { ...record, email: normaliseEmail(command.email) });
    await recordEvent(tx, context, 'passkey.recovery-token-created', { userId: command.userId });
    return { status: 'OK', token };
  });
}
