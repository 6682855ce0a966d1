import type { Commands } from '../../generated/commands.ts';
import { EMPTY_OBJECT, type JsonText } from '../../json/free-form.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { mergeMetadata } from './merge-metadata.ts';
import { metadata } from './records.ts';

/** `PUT /recipe/user/metadata` (contract 05 section 3.2): merges; answers the whole. @throws Refusal if too large */
export function putMetadata({ store, tenant }: Context, command: Commands['user-metadata/put-metadata']): Promise<JsonText> {
  const { app } = tenant;
  const { userId, metadataUpdate } = command;
  return store.transact(async (tx) => {
    const record = await tx.get(metadata, [app, userId]);
    const { text, complaint } = mergeMetadata(record?.metadata ?? EMPTY_OBJECT, metadataUpdate);
    if (complaint !== undefined) throw new Refusal('bad-input', { text: complaint });
    await tx.put(metadata, { app, userId, metadata: text });
    return text;
  });
}
