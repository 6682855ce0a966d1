import { sha256Hex } from '../../crypto/digests.ts';
import type { Reader } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type RecoveryTokenRecord, recoveryTokens } from './records.ts';

const TOKEN_BYTES = 32;

/** A new recovery token: base64url without padding of random bytes (contract 07 section 1). */
export const newRecoveryToken = (randomBytes: (size: number) => Buffer): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The form in which a recovery token is kept and found. */
export const hashOfRecoveryToken = (token: string): string => sha256Hex(token);

export const INVALID_TOKEN = { status: 'RECOVER_ACCOUNT_TOKEN_INVALID_ERROR' } as const;

/** What is kept of a token of the tenant; undefined for an unknown or expired one. `now`: ms since the epoch. */
export async function findRecoveryToken(
  reader: Reader,
  { app, tenant }: Tenant,
  token: string,
  now: number,
): Promise<RecoveryTokenRecord | undefined> {
  const record = await reader.get(recoveryTokens, [app, tenant, hashOfRecoveryToken(token)]);
  return record && record.expiresAt >= now ? record : undefined;
}
