/** A row of a database that is not ours, by the names of its columns; integers of 64 bits are their digits. */
export type Row = Readonly<Record<string, unknown>>;

/** How such a database is reached. */
export interface ForeignPlan {
  /** With the password, unless the environment has it: never to be shown. */
  readonly url: string;
}

/**
 * A database that is only read, in one transaction that sees the instant at which it began. Nothing is ever written to
 * it: the transaction is READ ONLY, so that the server refuses what is not a read.
 */
export interface ForeignDatabase {
  /** Rows that one statement answers: few, for all are in memory. @throws ForeignFault */
  rows(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Rows of one statement by a cursor, so many at a time.
   * @param byIndex whether it is to be answered by looking rows up, whatever the server thinks of that
   * @throws ForeignFault
   */
  pages(text: string, values: readonly unknown[], size: number, byIndex?: boolean): AsyncGenerator<readonly Row[], undefined>;
  /** Opens more connections that see the same instant, at most so many: none where the server allows none. */
  widen(connections: number): Promise<void>;
  /** The connections that were opened so: what is asked of one need not wait for what another is asked. */
  readonly beside: readonly ForeignDatabase[];
  /** Closes it, and those beside it. */
  close(): Promise<void>;
}

/** Something that keeps a database that is not ours from being read; one line that names its place, and no password. */
export class ForeignFault extends Error {
  override readonly name = 'ForeignFault';
}
