import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { findUser, type User } from '../users/user.ts';
import { findRecoveryToken, INVALID_TOKEN } from './recovery-tokens.ts';

export type Recovery =
  | typeof INVALID_TOKEN
  | {
      readonly status: 'OK';
      readonly user: User /** None where no login method with passkeys is in the tenant. */;
      readonly recipeUserId: string | null;
    };

/** `GET /recipe/webauthn/user/recover` (contract 07 section 5.2): whose token it is; it stays good. */
export function getRecovery(
  { store, tenant, directory, now }: Context,
  { token }: Commands['webauthn/recovery-of-token'],
): Promise<Recovery> {
  return store.read(async (reader): Promise<Recovery> => {
    const record = await findRecoveryToken(reader, tenant, token, now());
    const user = record && (await findUser(reader, directory, tenant, record.userId));
    if (!user) return INVALID_TOKEN;
    const here = user.loginMethods.filter(({ recipe, tenantIds }) => recipe === 'webauthn' && tenantIds.includes(tenant.tenantId));
    return { status: 'OK', user, recipeUserId: here.at(-1)?.recipeUserId ?? null };
  });
}
