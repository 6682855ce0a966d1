import { UNFINISHED_COPY } from './layout-version.ts';

/** How far a copy is, as its target keeps it until the copy is finished. */
export interface CopyMark {
  /** Of what it is a copy (`HeldStore.name`). */
  readonly source: string;
  /** `HeldStore.state` of the source when the copy was begun. */
  readonly state: string;
  /** Where the next piece begins: a key, in hex. */
  readonly next: string;
  /** Entries so far. */
  readonly copied: number;
}

export function markBytes({ source, state, next, copied }: CopyMark): Uint8Array {
  return Buffer.concat([Buffer.of(UNFINISHED_COPY), Buffer.from(JSON.stringify({ source, state, next, copied }))]);
}

/** The mark in what stands for a layout; nothing where that is a layout. */
export function markIn(stored: Uint8Array): CopyMark | undefined {
  if (stored[0] !== UNFINISHED_COPY) return undefined;
  return JSON.parse(Buffer.from(stored.subarray(1)).toString()) as CopyMark;
}
