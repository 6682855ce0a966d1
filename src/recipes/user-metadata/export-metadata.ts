import type { Reader } from '../../store/store.ts';
import type { Exported, Origin } from '../user-data.ts';
import { metadata } from './records.ts';

/** `userMetadata` of an export: the text that is kept, since not every number in it survives being read. */
export async function exportMetadata(reader: Reader, { tenant }: Origin, userId: string): Promise<Exported | undefined> {
  const found = await reader.get(metadata, [tenant.app, userId]);
  return found && { members: { userMetadata: found.metadata }, losses: [] };
}
