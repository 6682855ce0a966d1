import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { metadata } from './records.ts';

/** `POST /recipe/user/metadata/remove` (contract 05 section 3.3) */
export async function forgetMetadata(context: Context, { userId }: Commands['user-metadata/remove-metadata']): Promise<void> {
  await context.store.transact(async (tx) => {
    if (await tx.delete(metadata, [context.tenant.app, userId])) await recordEvent(tx, context, 'user.metadata-removed', { userId });
  });
}

/** Deletes what is kept about a user id; it may be an internal or an external id. */
export async function removeMetadata(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await tx.delete(metadata, [app, userId]);
}

/** Whether anything, and be it the empty object, is kept about a user id. */
export async function isMetadataUsed(reader: Reader, app: AppNumber, userId: string): Promise<boolean> {
  return (await reader.get(metadata, [app, userId])) !== undefined;
}
