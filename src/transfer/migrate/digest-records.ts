import type { Store, Transaction } from '../../store/store.ts';
import { DIGESTS_IN_RECORD, moveDigests } from './records.ts';

const DIGEST_BYTES = 8;

/** The digests of the pieces of a group as they were moved; 0 for those that were not. */
export class MovedDigests {
  readonly #of: { readonly storage: string; readonly group: string };
  readonly #digests: BigUint64Array;
  /** Whether nothing is known of what was moved. */
  areForgotten = true;

  constructor(of: { readonly storage: string; readonly group: string }, pieces: number) {
    this.#of = of;
    this.#digests = new BigUint64Array(Math.max(pieces, DIGESTS_IN_RECORD));
  }

  async read(store: Store): Promise<void> {
    const { storage, group } = this.#of;
    this.areForgotten = false;
    for (let at = 0; at * DIGESTS_IN_RECORD < this.#digests.length; at++) {
      const record = await store.read((reader) => reader.get(moveDigests, [storage, group, at]));
      if (!record) continue;
      const bytes = Buffer.from(record.digests);
      for (let n = 0; n < DIGESTS_IN_RECORD; n++) this.#digests[at * DIGESTS_IN_RECORD + n] = bytes.readBigUInt64LE(n * DIGEST_BYTES);
    }
  }

  /** Pieces whose rows are other ones than were moved. */
  changed(now: BigUint64Array): Int32Array {
    const changed: number[] = [];
    for (let piece = 0; piece < now.length; piece++) if (now[piece] !== this.#digests[piece]) changed.push(piece);
    return Int32Array.from(changed);
  }

  /** Writes digests in the caller's transaction; `note` them once it is kept. */
  async put(tx: Transaction, digests: ReadonlyMap<number, bigint>): Promise<void> {
    const { storage, group } = this.#of;
    for (const at of new Set([...digests.keys()].map((piece) => Math.floor(piece / DIGESTS_IN_RECORD)))) {
      const bytes = Buffer.alloc(DIGESTS_IN_RECORD * DIGEST_BYTES);
      for (let n = 0; n < DIGESTS_IN_RECORD; n++) {
        const piece = at * DIGESTS_IN_RECORD + n;
        bytes.writeBigUInt64LE(digests.get(piece) ?? this.#digests[piece] ?? 0n, n * DIGEST_BYTES);
      }
      await tx.put(moveDigests, { storage, group, at, digests: bytes });
    }
  }

  note(digests: ReadonlyMap<number, bigint>): void {
    for (const [piece, digest] of digests) this.#digests[piece] = digest;
  }
}
