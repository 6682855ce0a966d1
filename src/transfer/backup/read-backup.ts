import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { LAYOUT } from '../../store/layout-version.ts';
import type { StorePlacing } from '../../store/open-store.ts';
import { type Manifest, MOST_TAIL_BYTES, NoBackup, readTail } from './manifest.ts';

/** As much of the beginning as tells what a file is. */
const HEAD_BYTES = 4096;
const NO_TAIL = Buffer.alloc(0);

/** @throws NoBackup where this version cannot read what the backup holds */
function requireKnown({ layout }: Manifest): void {
  if (layout > LAYOUT) throw new NoBackup(`it was made by a newer version (layout ${layout} of the store, this version knows ${LAYOUT})`);
}

/**
 * Reads what a file tells of itself, and whether it has the size that it tells.
 * @throws NoBackup
 */
export async function readManifest(file: FileHandle, placing: StorePlacing): Promise<Manifest> {
  const { size } = await file.stat();
  if (size === 0) throw new NoBackup('it is empty');
  const end = await readAt(file, Math.max(0, size - MOST_TAIL_BYTES), MOST_TAIL_BYTES);
  const tail = readTail(end);
  if (!tail) {
    const isCut = placing.beginsAsCopy(await readAt(file, 0, HEAD_BYTES));
    throw new NoBackup(isCut ? 'it is cut off: it begins as a backup, and has no manifest at its end' : 'it is no backup of Watchword');
  }
  requireKnown(tail.manifest);
  if (tail.manifest.bytes + tail.bytes !== size) throw new NoBackup('it is damaged: it has not the size that its manifest tells');
  return tail.manifest;
}

async function readAt(file: FileHandle, at: number, most: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, at);
  return buffer.subarray(0, bytesRead);
}

/** Takes a backup in as it comes, in pieces, and tells at its end whether it is whole. */
export class BackupCheck {
  readonly #hash = createHash('sha256');
  #tail = NO_TAIL;
  #hashed = 0;

  /** Takes the next piece. */
  take(piece: Uint8Array): void {
    const held = Buffer.concat([this.#tail, piece]);
    const sure = Math.max(0, held.length - MOST_TAIL_BYTES);
    this.#update(held.subarray(0, sure));
    this.#tail = held.subarray(sure);
  }

  /** Nothing more comes. @throws NoBackup */
  end(): Manifest {
    const tail = readTail(this.#tail);
    if (!tail) throw new NoBackup('it is cut off: it has no manifest at its end');
    const { manifest } = tail;
    this.#update(this.#tail.subarray(0, this.#tail.length - tail.bytes));
    if (manifest.bytes !== this.#hashed || manifest.sha256 !== this.#hash.digest('hex'))
      throw new NoBackup('it is damaged: its content is not what its manifest tells');
    return manifest;
  }

  #update(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#hashed += bytes.length;
  }
}
