import { LIMITS } from '../../config/limits.ts';
import { jsonEqual } from '../../json/equality.ts';
import { EMPTY_OBJECT, type JsonText } from '../../json/free-form.ts';
import { hasMoreParts } from '../../json/parts.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { replacementComplaint } from './merge-metadata.ts';
import { keptMetadata, metadataRecord } from './metadata-search.ts';
import { metadata } from './records.ts';

/** What metadata are to become, and what the caller takes them for. */
export interface Replacement {
  /** As `PUT /recipe/user/metadata` takes it: neither need such a user exist, nor are mappings resolved. */
  readonly userId: string;
  readonly metadata: JsonText;
  readonly expected: JsonText;
}

/** What is kept now: what was sent, or what somebody else wrote meanwhile. */
export interface Replaced {
  readonly status: 'OK' | 'CHANGED_MEANWHILE_ERROR';
  readonly metadata: JsonText;
}

/** Writes all metadata of an id anew, if they are still what the caller read. @throws Refusal if too large */
export function replaceMetadata(context: Context, { userId, metadata: text, expected }: Replacement): Promise<Replaced> {
  const { store, tenant } = context;
  const { app } = tenant;
  return store.transact(async (tx): Promise<Replaced> => {
    const kept = await keptMetadata(tx, app, userId);
    const stored = kept.stored?.metadata ?? EMPTY_OBJECT;
    if (!isSame(stored, expected)) return { status: 'CHANGED_MEANWHILE_ERROR', metadata: stored };
    const complaint = replacementComplaint(stored, text);
    if (complaint !== undefined) throw new Refusal('bad-input', { text: complaint });
    await tx.put(metadata, metadataRecord({ app, userId }, text, kept));
    await recordEvent(tx, context, 'user.metadata-changed', { userId });
    return { status: 'OK', metadata: text };
  });
}

/** What has grown by many merges to more than one body holds is not what a body says; reading it would take long. */
function isSame(stored: JsonText, expected: JsonText): boolean {
  return stored === expected || (!hasMoreParts(stored, LIMITS.bodyParts) && jsonEqual(stored, expected));
}
