/** A place in a file of users from which reading can go on. */
export interface FilePlace {
  /** Bytes from the beginning. */
  readonly offset: number;
  /** Lines, or elements of the array, before it. */
  readonly passed: number;
}

/** The beginning of a file. */
export const BEGINNING: FilePlace = { offset: 0, passed: 0 };

/** One value as it stands in a file. */
export interface Cut {
  /** Which one it is: the number of its line from 1, or its index in the array from 0. */
  readonly at: number;
  /** Undefined where it is longer than can be read. */
  readonly bytes: Buffer | undefined;
  /** The place behind it. */
  readonly next: FilePlace;
}

/** Cuts the bytes of a file into values without reading them, in the memory of the longest of them. */
export interface Cutter {
  /** The values that end in this chunk. @throws UserFileError */
  push(chunk: Buffer): Iterable<Cut>;
  /** The value that ends with the file. @throws UserFileError where the file was cut off */
  end(): Iterable<Cut>;
}

/** A file as a whole that cannot be read any further; the message is a sentence for the person who gave it. */
export class UserFileError extends Error {
  override readonly name = 'UserFileError';
}
