import { createHash } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import type { ConvertedPiece } from './convert-piece.ts';
import { MigrateFault } from './fault.ts';
import type { TableGroup } from './table-group.ts';

/**
 * Reads back what was written of credentials and sessions, and compares its digest with that of the rows it was made
 * of: a client notices the smallest difference there. @throws MigrateFault
 */
export async function proveWritten(store: Store, group: TableGroup, pieces: readonly ConvertedPiece[]): Promise<void> {
  const { proof } = group;
  if (!proof) return;
  const rows = pieces.flatMap((piece) => piece.movedRows(proof.table));
  const keys = pieces.flatMap(({ made }) => made).flatMap(({ collection, record }) => [{ collection, key: collection.key(record) }]);
  const stored = await store.read((reader) => reader.getMany(keys));
  const texts = stored.flatMap((record) => (record === undefined ? [] : proof.ofRecord(record)));
  if (digestOf(rows.map(proof.ofRow)) !== digestOf(texts))
    throw new MigrateFault(`What was written of ${group.name} is not what was read from ${proof.table}: this is a fault of ours`);
}

/** The same in whichever order. */
function digestOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts.toSorted()) hash.update(text).update('\n');
  return `${texts.length} ${hash.digest('hex')}`;
}
