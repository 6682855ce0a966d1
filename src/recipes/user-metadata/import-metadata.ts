import type { JsonText } from '../../json/free-form.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { mergeMetadata } from './merge-metadata.ts';
import { keptMetadata, metadataRecord } from './metadata-search.ts';
import { type MetadataRecord, metadata } from './records.ts';

export type { MetadataRecord };

/**
 * What is kept after an import: the text as it came, or merged into what there was (contract 05 section 6.9 item 8).
 * Answers `undefined` where it grows too large.
 */
export function mergedMetadata(
  reader: Reader,
  owner: { readonly app: AppNumber; readonly userId: string },
  imported: JsonText,
): MaybePromise<MetadataRecord | undefined> {
  return whenReady(keptMetadata(reader, owner.app, owner.userId), (kept) => {
    if (!kept.stored) return metadataRecord(owner, imported, kept);
    const { text, complaint } = mergeMetadata(kept.stored.metadata, imported);
    return complaint === undefined ? metadataRecord(owner, text, kept) : undefined;
  });
}

/** Writes what `mergedMetadata` answered in the same transaction. */
export function writeMetadata(tx: Transaction, record: MetadataRecord): MaybePromise<void> {
  return whenReady(tx.put(metadata, record), () => undefined);
}
