/** A copy of a store that is being written: a file that grows. */
export interface StoreCopy {
  readonly file: string;
  /** Version of the layout of what is copied. */
  readonly layout: number;
  /** Bytes that it will have at most. */
  readonly mostBytes: number;
  /** Resolves when the file is whole; nothing more is then written by the store. */
  readonly whole: Promise<CopyFacts>;
}

/** What a whole copy tells of itself. */
export interface CopyFacts {
  /** Records and index entries, and what the store keeps for itself. */
  readonly entries: number;
}

/** How a store is copied. */
export interface CopyManner {
  /** With pages that are free, which hold what was removed: for a store that cannot be copied without them. */
  readonly withFree: boolean;
}

/** The store cannot be copied without its free pages: it does not know of all of them. */
export class LostPages extends Error {
  override readonly name = 'LostPages';
}

/** The disk has no room for what is asked for. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** A store that cannot be copied, or not be copied to; the message is a sentence for whoever runs the command. */
export class UnfitStore extends Error {
  override readonly name = 'UnfitStore';
}

/** A folder that cannot be used as it is; the message is a sentence for whoever runs the command. */
export class UnfitFolder extends Error {
  override readonly name = 'UnfitFolder';
}
