import type { AppNumber, Read } from '../../store/store.ts';
import type { ExternalUserId, InternalUserId } from './ids.ts';
import { mappingsByExternalId, mappingsByInternalId, type UserIdMapping } from './mapping-records.ts';

export type { UserIdMapping };

/** The read that finds a mapping by its external id; for `getMany`, so that it joins a round with other reads. */
export function mappingByExternalId(app: AppNumber, externalUserId: ExternalUserId): Read<typeof mappingsByExternalId> {
  return { collection: mappingsByExternalId, key: [app, externalUserId] };
}

/** The read that finds a mapping by the internal id. */
export function mappingByInternalId(app: AppNumber, superTokensUserId: InternalUserId): Read<typeof mappingsByInternalId> {
  return { collection: mappingsByInternalId, key: [app, superTokensUserId] };
}
