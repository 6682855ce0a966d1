import type { Context } from '../context.ts';
import { type LegacyKeyInfo, legacyKeyInfo } from './legacy-key-info.ts';
import { refreshTokenValidityMs } from './tokens.ts';

export interface Handshake {
  readonly legacyKeys: LegacyKeyInfo | undefined;
  readonly accessTokenBlacklistingEnabled: boolean;
  readonly accessTokenValidity: number;
  readonly refreshTokenValidity: number;
}

/** `POST /recipe/handshake` (contract 02 section 2.12), which left with CDI 2.21. */
export async function handshake(context: Context): Promise<Handshake> {
  const { tenant } = context;
  return {
    legacyKeys: await legacyKeyInfo(context, tenant),
    accessTokenBlacklistingEnabled: tenant.appConfig.access_token_blacklisting,
    accessTokenValidity: tenant.appConfig.access_token_validity * 1000,
    refreshTokenValidity: refreshTokenValidityMs(tenant),
  };
}
