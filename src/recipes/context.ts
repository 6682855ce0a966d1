import type { Traits } from '../cdi/traits.ts';
import type { Config } from '../config/config.ts';
import type { Crypto } from '../crypto/lanes.ts';
import type { Store } from '../store/store.ts';
import type { TenantDirectory } from './multitenancy/directory.ts';
import type { Address } from './scope.ts';
import type { SigningKeys } from './session/signing-keys.ts';

/** An existing tenant as recipes see it. Records are stored under the two numbers, which are never given out twice. */
export interface Tenant {
  /** Connection URI domain, `''` for the default one. */
  readonly cud: string;
  readonly appId: string;
  readonly tenantId: string;
  /** Number of the app, first component of the keys of app-scoped records. */
  readonly app: number;
  /** Number of the tenant, second component of the keys of tenant-scoped records. */
  readonly tenant: number;
  /** The effective configuration: own, app, connection URI domain and base values overlaid. */
  readonly config: Config;
  /** The effective configuration of the app's public tenant. */
  readonly appConfig: Config;
}

/** What a verb may use besides its command. One per request; the services in it are one per thread. */
export interface Context {
  readonly store: Store;
  readonly crypto: Crypto;
  readonly directory: TenantDirectory;
  readonly keys: SigningKeys;
  /** Wall clock, ms since epoch. */
  now(): number;
  /** Cryptographically strong random bytes. */
  randomBytes(size: number): Buffer;
  /** A random UUID v4 in lower case. */
  randomId(): string;
  /** Uniform in [0, 1). */
  randomUnit(): number;
  readonly traits: Traits;
  /** Where the request is addressed: host, app and tenant segments as sent, in lower case. */
  readonly address: Address;
  /** What the row's scope guard found: the addressed tenant, or for app-scoped rows the app's public tenant. Rows with scope `verb` or `none` find their own. */
  readonly tenant: Tenant;
  /** True when a saas secret is configured and the caller did not present it (contract 01 section 2.7). */
  readonly protectedMode: boolean;
  /** True in `--test-mode`: second-scale key intervals. */
  readonly testMode: boolean;
}
