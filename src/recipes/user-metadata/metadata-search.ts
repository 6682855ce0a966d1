import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import type { JsonText } from '../../json/free-form.ts';
import { type MetadataRecord, metadata, metadataSearch } from './records.ts';
import { searchedIn } from './searched-values.ts';

/** Metadata as they are kept, and the keys by which they are searched: whoever writes them notes these values too. */
export interface KeptMetadata {
  readonly stored: MetadataRecord | undefined;
  readonly searchKeys: readonly string[];
}

/** What an id has, in one round. */
export function keptMetadata(reader: Reader, app: AppNumber, userId: string): MaybePromise<KeptMetadata> {
  const reads = reader.getMany([
    { collection: metadata, key: [app, userId] },
    { collection: metadataSearch, key: [app] },
  ]);
  return whenReady(reads, ([stored, search]) => ({ stored, searchKeys: search?.keys ?? [] }));
}

/** The record of metadata, with what they are searched by. */
export function metadataRecord(
  owner: Pick<MetadataRecord, 'app' | 'userId'>,
  text: JsonText,
  { searchKeys }: Pick<KeptMetadata, 'searchKeys'>,
): MetadataRecord {
  return { ...owner, metadata: text, searched: searchedIn(text, searchKeys) };
}

/** Writes records anew, so that they note the values of these keys. */
export async function noteSearched(tx: Transaction, records: readonly MetadataRecord[], searchKeys: readonly string[]): Promise<void> {
  for (const record of records)
    await tx.put(metadata, metadataRecord({ app: record.app, userId: record.userId }, record.metadata, { searchKeys }));
}
