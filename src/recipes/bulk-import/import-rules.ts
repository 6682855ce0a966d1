import { LIMITS } from '../../config/limits.ts';
import { trimBlanks } from '../normalise.ts';

/** What of an app decides whether a user can be imported; plain data, since it crosses to another thread. */
export interface AppNames {
  /** Names of its roles. */
  readonly roles: readonly string[];
  readonly tenantIds: readonly string[];
  /** Whether the app has the signer key that firebase hashes need. */
  readonly hasSignerKey: boolean;
}

/** Where users that are checked come from. */
export interface ImportOptions {
  readonly names: AppNames;
  /** ms since the epoch: when login methods join that do not say when, and nobody joins later. */
  readonly now: number;
  /** A random UUID v4 in lower case. */
  readonly randomId: () => string;
  /** True for the queue unless asked otherwise: it keeps metadata without members that are null (contract 05 6.5). */
  readonly dropsNulls: boolean;
}

/** What the users of one request are checked against; external ids must differ among them. */
export class ImportRules {
  readonly now: number;
  readonly randomId: () => string;
  readonly dropsNulls: boolean;
  readonly roles: ReadonlySet<string>;
  readonly hasSignerKey: boolean;
  /** External ids of the users read so far. */
  readonly externalIds = new Set<string>();
  readonly #tenantIds: ReadonlySet<string>;

  constructor({ names, now, randomId, dropsNulls }: ImportOptions) {
    this.now = now;
    this.randomId = randomId;
    this.dropsNulls = dropsNulls;
    this.roles = new Set(names.roles);
    this.hasSignerKey = names.hasSignerKey;
    this.#tenantIds = new Set(names.tenantIds);
  }

  /** The tenants that were named and exist, `public` where none were named; the others are complained about. */
  tenants(given: readonly string[] | undefined, suffix: string, errors: string[]): string[] {
    if (given === undefined) return ['public'];
    const found = new Set<string>();
    for (const tenantId of given) {
      if (errors.length > LIMITS.importErrors) break;
      const normalised = normaliseTenantId(tenantId);
      if (this.#tenantIds.has(normalised)) found.add(normalised);
      else errors.push(`Invalid tenantId: ${tenantId}${suffix}`);
    }
    return [...found];
  }
}

/** The form in which ids of tenants are kept. */
export function normaliseTenantId(tenantId: string): string {
  return trimBlanks(tenantId).toLowerCase();
}
