import type { Traits } from '../cdi/traits.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Reloaded } from '../config/reload.ts';
import type { Crypto } from '../crypto/crypto.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { Actor } from './audit/event.ts';
import type { Backups } from './backups.ts';
import type { Overview } from './overview.ts';
import type { Uploads } from './uploads.ts';
import type { AppNumber, Store } from '../store/store.ts';
import type { Browser } from './operators/browser.ts';
import type { SignedIn } from './operators/sessions.ts';
import type { ActivityRecorder } from './active-users/touch.ts';
import type { DailyStatistics } from './statistics/daily-statistics.ts';
import type { TenantDirectory } from './tenants/directory.ts';
import type { Address } from './tenants/address.ts';
import type { ApiScope } from './tenants/api-keys.ts';
import type { KeyUses } from './tenants/key-uses.ts';
import type { Tenant } from './tenants/tenant.ts';
import type { UserData } from './user-data.ts';
import type { SigningKeys } from './signing-keys/signing-keys.ts';
import type { Repeated, VerifiedTokens } from './session-records/verified-tokens.ts';

/** An app's requests per second in 1440 whole minutes, oldest first; -1: not counted (contract 01 section 3.6). */
export interface RequestStats {
  readonly atMinute: number;
  readonly averageRequestsPerSecond: readonly number[];
  readonly peakRequestsPerSecond: readonly number[];
}

/** What the running process tells about itself. */
export interface ServerInfo {
  /** Process id of the main process, as the ready line prints it. */
  readonly pid: number;
  /** Absolute path of the configuration file in use, or of the one that would be. */
  readonly configPath: string;
  /** The base configuration in force. */
  configuration(): Pick<LoadedConfig, 'config' | 'sources'>;
  /** Reads it anew, for all threads of this process. */
  reload(): Promise<Reloaded>;
  /** Counts of all threads of this process for the app with this number. */
  requestStats(app: AppNumber): Promise<RequestStats>;
  /** Of all threads of this process, at most a second old. */
  overview(): Promise<Overview>;
}

/** What a verb works with; one per thread. */
export interface Services {
  readonly store: Store;
  readonly crypto: Crypto;
  readonly uploads: Uploads;
  /** Of the whole store, for operators. */
  readonly backups: Backups;
  readonly directory: TenantDirectory;
  readonly keys: SigningKeys;
  readonly activity: ActivityRecorder;
  readonly statistics: DailyStatistics;
  /** What every recipe keeps of users, for those who remove them. */
  readonly userData: readonly UserData[];
  readonly server: ServerInfo;
  readonly trail: AuditTrail;
  readonly keyUses: KeyUses;
  readonly verifiedTokens: VerifiedTokens;
  /** Whether `password_blocklist` has this password; always false without that option. */
  readonly isBlockedPassword: (password: string) => boolean;
  /** Wall clock, ms since epoch. */
  readonly now: () => number;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Buffer;
  /** A random UUID v4 in lower case. */
  readonly randomId: () => string;
  /** Uniform in [0, 1). */
  readonly randomUnit: () => number;
  /** True in `--test-mode`: second-scale key intervals. */
  readonly testMode: boolean;
  /** A line of the log at its lowest level, for operators; nothing that a caller sent may stand in it. */
  readonly debug: (fields: Readonly<Record<string, string>>, text: string) => void;
  /** Logs an error that no answer depends on: outages at the lowest level, anything else as the fault that it is. */
  readonly dropped: (error: unknown, text: string) => void;
}

/** What a verb may use besides its command; one per request. */
export interface Context extends Services {
  readonly traits: Traits;
  /** Where the request is addressed: host, app and tenant segments as sent, in lower case. */
  readonly address: Address;
  /** The addressed tenant, for app-scoped rows the app's public one; rows of scope `verb` or `none` find their own. */
  readonly tenant: Tenant;
  /** Who calls, as far as the API key tells. */
  readonly actor: Actor;
  /** The endpoint, as `POST /recipe/signup`. */
  readonly via: string;
  /** What the caller calls the request, in the header `x-request-id`. */
  readonly requestId?: string | undefined;
  /** From the header that `sign_in_address_header` names: IPv4 dotted, IPv6 as eight groups, other text as it is. */
  readonly endUserAddress?: string | undefined;
  /** The header `Authorization` as sent, for endpoints where it is no API key. */
  readonly authorization?: string | undefined;
  /** True when a saas secret is configured and the caller did not present it (contract 01 section 2.7). */
  readonly protectedMode: boolean;
  /** What the caller's key, or role, is good for. */
  readonly scopes: readonly ApiScope[];
  /** Where the browser is that asks; for rows with `browser`, and for operators, whose origin was checked. */
  readonly browser?: Browser | undefined;
  /** The operator who calls; undefined for all who show an API key. */
  readonly signedIn?: SignedIn | undefined;
  /** The bytes of the body, for rows with `rawInput`; they may be given away. */
  readonly rawBody?: Uint8Array<ArrayBuffer> | undefined;
  /** There where the body of a hot row came before; undefined for all others. */
  readonly repeated?: Repeated | undefined;
  /** Refuses ill-formed `late` fields; called by the front after the scope guard, for scope `verb` by the verb. */
  checkLate(): void;
}
