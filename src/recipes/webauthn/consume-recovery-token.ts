import type { Commands } from '../../generated/commands.ts';
import { deleteUnder } from '../../store/delete-under.ts';
import { externalIds } from '../accounts/find.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { recoveryTokens } from './records.ts';
import { findRecoveryToken, INVALID_TOKEN } from './recovery-tokens.ts';

/** The id is external where mapped. */
export type ConsumedRecoveryToken = typeof INVALID_TOKEN | { readonly status: 'OK'; readonly userId: string; readonly email: string };

/**
 * `POST /recipe/webauthn/user/recover/token/consume` (contract 07 section 5.3): uses up a token with all others of the
 * tenant for its email, whoever's they are.
 */
export function consumeRecoveryToken(
  context: Context,
  { token }: Commands['webauthn/consume-recovery-token'],
): Promise<ConsumedRecoveryToken> {
  const { store, tenant, now } = context;
  const { app } = tenant;
  const time = now();
  return store.transact(async (tx) => {
    const record = await findRecoveryToken(tx, tenant, token, time);
    if (!record) return INVALID_TOKEN;
    const { email, userId } = record;
    const [external] = await Promise.all([
      externalIds(tx, app, [userId]),
      deleteUnder(tx, recoveryTokens, 'byEmail', [app, tenant.tenant, email], recoveryTokens.key(record)),
    ]);
    const known = external.get(userId) ?? userId;
    await recordEvent(tx, context, 'passkey.recovery-token-used', { userId: known });
    return { status: 'OK', userId: known, email };
  });
}
