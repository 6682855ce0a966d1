import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';
import type { ExternalUserId, InternalUserId } from './ids.ts';

/** A user-id mapping (contract 01 section 4), always kept once for each direction: either look-up is one read. */
export interface UserIdMapping {
  readonly app: AppNumber;
  readonly superTokensUserId: InternalUserId;
  readonly externalUserId: ExternalUserId;
  readonly externalUserIdInfo: string | null;
}

const fields = { app: 1, superTokensUserId: 2, externalUserId: 3, externalUserIdInfo: 4 } as const;

export const mappingsByInternalId = defineCollection({
  id: 12,
  name: 'user_id_mappings_by_internal_id',
  scope: 'app',
  format: 1,
  fields,
  key: (m: UserIdMapping) => [m.app, m.superTokensUserId],
});

export const mappingsByExternalId = defineCollection({
  id: 13,
  name: 'user_id_mappings_by_external_id',
  scope: 'app',
  format: 1,
  fields,
  key: (m: UserIdMapping) => [m.app, m.externalUserId],
});
