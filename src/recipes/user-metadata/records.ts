import { EMPTY_OBJECT, isObjectText, type JsonText } from '../../json/free-form.ts';
import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';

/** Free-form data of the caller about a user id (contract 05 section 1). */
export interface MetadataRecord {
  readonly app: AppNumber;
  /** As the caller sent it: neither need such a user exist, nor are mappings resolved (contract 00). */
  readonly userId: string;
  /** A JSON object. */
  readonly metadata: JsonText;
}

export const metadata = defineCollection({
  id: 24,
  name: 'user_metadata',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, metadata: 3 },
  key: (m: MetadataRecord) => [m.app, m.userId],
  // A number that was once taken for an object says nothing about a user.
  repair: (m) => (isObjectText(m.metadata) ? m : { ...m, metadata: EMPTY_OBJECT }),
});
