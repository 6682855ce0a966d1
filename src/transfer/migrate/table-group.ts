import type { AnyCollection, Collection } from '../../store/collection.ts';
import type { Row } from '../../store/foreign-database.ts';
import type { AppNumber, TenantNumber, Transaction } from '../../store/store.ts';
import type { Config } from '../../config/config.ts';

/** A table as a group of tables reads it. */
export interface Part {
  readonly table: string;
  /** Columns that say to which unit a row belongs; those of all parts of a group match in their order. */
  readonly unit: readonly string[];
  /** What names a row in its app and tenant, where that is not what makes the unit; nothing that is secret. */
  readonly names?: readonly string[];
  /** All columns that are read; those that the table lacks are `undefined` in rows. */
  readonly columns: readonly string[];
}

/** Where rows of a storage belong in the store. */
export interface Places {
  /** Of an app that exists; undefined for rows that nobody can reach. */
  app(appId: string): AppPlace | undefined;
  /** Of a tenant that exists. */
  tenant(appId: string, tenantId: string): TenantPlace | undefined;
  /** ms since the epoch, by the clock of the database server at the beginning of the pass. */
  readonly now: number;
}

export interface AppPlace {
  readonly app: AppNumber;
  /** Numbers of all its tenants, wherever their users are. */
  readonly tenants: readonly TenantNumber[];
  /** Whether this storage is that of the app's public tenant, which alone has keys and the like. */
  readonly isHome: boolean;
  /** The configuration of the app's public tenant. */
  readonly config: Config;
  /** Names of the roles that exist. */
  readonly roles: ReadonlySet<string>;
  /** Ids of entries of the import queue that the old core had begun with and that are users already. */
  readonly imported: ReadonlySet<string>;
}

export interface TenantPlace {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly config: Config;
  /** Whether the old core reads the tables of core 12 for its users. */
  readonly readsNew: boolean;
}

/** Why rows are not moved although nothing is wrong with them (contract 09 sections 2, 5 and 12). */
export type LeftBehind =
  | 'expired'
  | 'unreachable'
  | 'ghost'
  | 'no such role'
  | 'no device'
  | 'imported already'
  | 'of an app that is at home elsewhere'
  | 'not read in this mode'
  | 'handle of another tenant'
  | 'SAML login under way'
  | 'in the database of its app too'
  | 'without meaning here';

/** Why a row cannot be moved, and what helps. */
export interface LossText {
  readonly reason: string;
  readonly remedy: string;
}

/** Rows that make a thing together: a login method with its memberships, a device with its codes. */
export interface Unit {
  readonly places: Places;
  /** Its rows in a table. */
  rows(table: string): readonly Row[];
  /** All its rows, with their tables. */
  all(): readonly (readonly [table: string, row: Row])[];
  /** Makes a record of it. */
  make<R>(collection: Collection<R>, record: NoInfer<R>): void;
  /** Leaves a row behind. Rows of which nothing is said are moved. */
  leave(row: Row, why: LeftBehind): void;
  leaveAll(why: LeftBehind): void;
  /** Says what is to be known of a row that is moved. */
  note(table: string, row: Row, text: string): void;
  /** Says that a row cannot be moved. */
  lose(table: string, row: Row, text: LossText): void;
  /** Says that none of it can be. */
  loseAll(text: LossText): void;
}

/** A record before and after a batch. */
export interface Change {
  readonly before: unknown;
  readonly after: unknown;
}

/** Of what a group makes, what is read back and compared with its rows. */
export interface Proof {
  readonly table: string;
  readonly ofRow: (row: Row) => string;
  /** The same text of a record that was made of such a row; none of others. */
  readonly ofRecord: (record: unknown) => readonly string[];
}

/** Tables that are moved together: as data, so that passes, digests, counts and deletions are the same for all. */
export interface TableGroup {
  readonly name: string;
  /** The first is the one whose rows are counted. */
  readonly parts: readonly Part[];
  /** The collections of the records that it makes. */
  readonly collections: readonly AnyCollection[];
  /** What its records depend on of an app besides rows and tenants, in any order; all are made anew with another. */
  readonly basis?: (app: AppPlace) => readonly string[];
  /** Makes records of a unit's rows. */
  readonly convert: (unit: Unit) => void;
  /** Brings what depends on several records in line with them; answers those that it is impossible with. */
  readonly settle?: (tx: Transaction, changes: readonly Change[]) => Promise<readonly Change[]>;
  readonly proof?: Proof;
}
