import { LIMITS } from '../../config/limits.ts';
import type { Commands } from '../../generated/commands.ts';
import type { JsonText } from '../../json/free-form.ts';
import { readUserIds } from '../bulk-user-ids.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { metadata } from './records.ts';

/** What is kept about one of several user ids, `null` for nothing. */
export interface UserMetadata {
  readonly userId: string;
  readonly metadata: JsonText | null;
}

/** Records that are read at once; each may be as large as `LIMITS.metadataBytes`. */
const BATCH = 25;

/**
 * `POST /recipe/user/metadata/bulk` (contract 05 section 3.4), in the order of the request. An empty list is answered
 * before anything is looked for. @throws Refusal
 */
export async function metadataOfUsers(context: Context, command: Commands['user-metadata/metadata-of-users']): Promise<UserMetadata[]> {
  const userIds = readUserIds(command.userIds);
  if (userIds.length === 0) return [];
  const { app } = await SCOPES.app(context.address, context.traits, context.directory);
  return context.store.read(async (reader) => {
    const found: UserMetadata[] = [];
    let bytes = 0;
    for (let start = 0; start < userIds.length; start += BATCH) {
      const batch = userIds.slice(start, start + BATCH);
      const records = await reader.getMany(batch.map((userId) => ({ collection: metadata, key: [app, userId] as const })));
      for (const [at, userId] of batch.entries()) {
        const text = records[at]?.metadata ?? null;
        bytes += text?.length ?? 0;
        found.push({ userId, metadata: text });
      }
      if (bytes > LIMITS.bulkMetadataBytes)
        throw new Refusal('bad-input', { text: 'The metadata of these users is too large for one answer' });
    }
    return found;
  });
}
