import { statfsSync, statSync } from 'node:fs';
import { databaseIn } from './data-folder.ts';
import type { Write } from '../engine.ts';

/** What stays free: for what others write between the look and the write, and for the database's own lists. */
const RESERVE_BYTES = 8 * 1024 * 1024;
const PAGE_BYTES = 4096;
/** Where so much is free, nobody can fill it before the next look. */
const PLENTY_BYTES = 512 * 1024 * 1024;
const LOOK_EVERY_MS = 50;

/**
 * The room on a data folder's disk, looked at before LMDB writes, because lmdb-js 3.5 fails badly: threads told of a
 * full disk at the same time share the memory of one message, which ends the process by a signal.
 */
export class Room {
  readonly #folder: string;
  /** Of `performance.now`. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #free = 0;
  /** What the database takes: a written key costs at most one page of that, so all together cost no more than this. */
  #stored = 0;
  #keys = 0;
  #bytes = 0;

  /** @param folder of `data.mdb` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** To be called when a transaction begins. */
  begin(): void {
    this.#keys = 0;
    this.#bytes = 0;
    if (this.#free < PLENTY_BYTES) this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  /** Counts what the transaction will write; throws when there may be no room for all of it so far. */
  take(writes: readonly Write[]): void {
    this.#look();
    this.#keys += writes.length;
    if (this.#free > PLENTY_BYTES) return;
    for (const { key, value } of writes) this.#bytes += key.length + (value?.length ?? 0);
    const needed = RESERVE_BYTES + 2 * this.#bytes + Math.min(this.#keys * PAGE_BYTES, this.#stored);
    if (this.#free < needed)
      throw new Error(`the disk is full: ${mebibytes(this.#free)} MiB are free, ${mebibytes(needed)} MiB would be needed`);
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    this.#free = freeBytes(this.#folder);
    this.#stored = statSync(databaseIn(this.#folder)).size;
  }
}

/** Infinite where the file system does not tell. */
export function freeBytes(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

export function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
