import type { Config } from '../../config/config.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';
import type { ApiKey } from './api-keys.ts';

/** An existing tenant as recipes see it. Records are stored under the two numbers, which are never given out twice. */
export interface Tenant {
  /** Connection URI domain, `''` for the default one. */
  readonly cud: string;
  readonly appId: string;
  readonly tenantId: string;
  /** Number of the app, first component of the keys of app-scoped records. */
  readonly app: AppNumber;
  /** Number of the tenant, second component of the keys of tenant-scoped records. */
  readonly tenant: TenantNumber;
  /** The effective configuration: own, app, connection URI domain and base values overlaid. */
  readonly config: Config;
  /** Which recipes may be used, by the caller's CDI version (contract 04 section 3.3); from CDI 5.1 on all may. */
  readonly enabledRecipes: { readonly 'flags-4': EnabledRecipes; readonly 'flags-5': EnabledRecipes };
  /** The effective configuration of the app's public tenant. */
  readonly appConfig: Config;
  /** The API keys of the app beside those of its configuration. */
  readonly apiKeys: readonly ApiKey[];
  /** How often an operator changed the signing keys of the app. */
  readonly keyChanges: number;
}

export interface EnabledRecipes {
  readonly emailPassword: boolean;
  readonly thirdParty: boolean;
  readonly passwordless: boolean;
}
