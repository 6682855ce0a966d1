import type { Commands } from '../../generated/commands.ts';
import { EMPTY_OBJECT, type JsonText } from '../../json/free-form.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { mergeMetadata } from './merge-metadata.ts';
import { keptMetadata, metadataRecord } from './metadata-search.ts';
import { metadata } from './records.ts';

/** `PUT /recipe/user/metadata` (contract 05 section 3.2): merges; answers the whole. @throws Refusal if too large */
export function putMetadata(context: Context, command: Commands['user-metadata/put-metadata']): Promise<JsonText> {
  const { store, tenant } = context;
  const { app } = tenant;
  const { userId, metadataUpdate } = command;
  return store.transact(async (tx) => {
    const kept = await keptMetadata(tx, app, userId);
    const { text, complaint } = mergeMetadata(kept.stored?.metadata ?? EMPTY_OBJECT, metadataUpdate);
    if (complaint !== undefined) throw new Refusal('bad-input', { text: complaint });
    await tx.put(metadata, metadataRecord({ app, userId }, text, kept));
    await recordEvent(tx, context, 'user.metadata-changed', { userId });
    return text;
  });
}
