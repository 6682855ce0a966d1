import type { FilePlace } from './cutter.ts';
import type { FileUser, NoUser } from './user-file.ts';

/** A user that was not imported, and why. */
export interface Reject {
  /** Its number in the file; undefined where that is not known any more. */
  readonly at: number | undefined;
  readonly errors: readonly string[];
  /** The user as JSON, or what stood in its place as plain text. */
  readonly content: { readonly user: string } | { readonly text: string } | undefined;
}

/** An entry of the core's queue, and which user of the file it is. */
export interface Queued {
  readonly at: number;
  /** A UUID. */
  readonly id: string;
}

/** What became of users that were given to a target at once. */
export type Outcome =
  /** Each of them is taken over for good, unless it is among the rejects. */
  | { readonly status: 'accepted'; readonly rejects: readonly Reject[]; readonly queued: readonly Queued[] }
  /** Nothing was taken over; without these it can be tried again. */
  | { readonly status: 'refused'; readonly rejects: readonly Reject[] }
  /** Nothing was taken over; fewer users or bytes at once can be tried. */
  | { readonly status: 'too-large' };

/** Users that go to the target at once, and the place in the file behind them. */
export interface Batch {
  readonly users: readonly FileUser[];
  /** What stood between them and is no user. */
  readonly others: readonly NoUser[];
  readonly next: FilePlace;
}

/** Where imported users go. */
export interface Target {
  /** Its name in the state file, so that an import is not resumed elsewhere by mistake. */
  readonly name: string;
  /** Works out whatever can be before the batch's turn comes. */
  prepare(batch: Batch): Promise<void>;
  /** Takes all of the users over, or none of them. @throws ImportFault */
  accept(batch: Batch): Promise<Outcome>;
  /** What became of a batch that a killed process may have given to the target; undefined where it never arrived. */
  recall(batch: Batch): Promise<Outcome | undefined>;
}

/** Something that ends an import; the message is a sentence for the person who runs it, and names no secret. */
export class ImportFault extends Error {
  override readonly name = 'ImportFault';
}

export const rejectOf = ({ at, text }: FileUser, errors: readonly string[]): Reject => ({ at, errors, content: { user: text } });
