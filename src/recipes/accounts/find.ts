import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import { asExternal, asInternal, type ExternalUserId, type InternalUserId } from './ids.ts';
import { mappingByExternalId, mappingByInternalId } from './mappings.ts';
import { type LoginMethodRecord, loginMethods, type UserRecord, users } from './records.ts';

/** A user id that a caller gave, resolved (contract 03 section 1.7). */
export interface FoundId {
  readonly internalId: InternalUserId;
  /** The external id that is mapped to `internalId`. */
  readonly externalId: ExternalUserId | undefined;
  /** The login method with this id; none for a primary user whose own one is gone (contract 03 section 1.6). */
  readonly method: LoginMethodRecord | undefined;
  /** Internal id of the user that the id belongs to. */
  readonly primaryUserId: InternalUserId;
  /** True for members of a group and for primary users. */
  readonly isPrimary: boolean;
}

/** Who has this id: first as an internal id, then by a mapping; `undefined` if no method or primary user has it. */
export async function findId(reader: Reader, app: AppNumber, id: string): Promise<FoundId | undefined> {
  const own = asInternal(id);
  const [method, user, ownMapping, mapping] = await reader.getMany([
    { collection: loginMethods, key: [app, own] },
    { collection: users, key: [app, own] },
    mappingByInternalId(app, own),
    mappingByExternalId(app, asExternal(id)),
  ]);
  if (method || user) return found(own, ownMapping?.externalUserId, method, user);
  if (!mapping) return undefined;
  const internalId = mapping.superTokensUserId;
  const [mappedMethod, mappedUser] = await reader.getMany([
    { collection: loginMethods, key: [app, internalId] },
    { collection: users, key: [app, internalId] },
  ]);
  return found(internalId, mapping.externalUserId, mappedMethod, mappedUser);
}

/** The internal ids of the primary users that several ids belong to, as `findId` finds them; nothing for nobody's. */
export async function primaryUserIds(reader: Reader, app: AppNumber, ids: readonly string[]): Promise<InternalUserId[]> {
  const [methods, own, mappings] = await Promise.all([
    reader.getMany(ids.map((id) => ({ collection: loginMethods, key: [app, asInternal(id)] as const }))),
    reader.getMany(ids.map((id) => ({ collection: users, key: [app, asInternal(id)] as const }))),
    reader.getMany(ids.map((id) => mappingByExternalId(app, asExternal(id)))),
  ]);
  const internalIds = ids.flatMap((id, at) => (methods[at] || own[at] ? asInternal(id) : (mappings[at]?.superTokensUserId ?? [])));
  // Those whose own method is gone are primary users themselves.
  const found = await reader.getMany(internalIds.map((id) => ({ collection: loginMethods, key: [app, id] as const })));
  return internalIds.map((id, at) => found[at]?.primaryUserId ?? id);
}

/** Whether an id is, internally, that of a login method or of a primary user; a mapped external id is not. */
export function isUserId(reader: Reader, app: AppNumber, id: string): MaybePromise<boolean> {
  const reads = reader.getMany([
    { collection: loginMethods, key: [app, asInternal(id)] },
    { collection: users, key: [app, asInternal(id)] },
  ]);
  return whenReady(reads, ([method, user]) => method !== undefined || user !== undefined);
}

function found(
  internalId: InternalUserId,
  externalId: ExternalUserId | undefined,
  method: LoginMethodRecord | undefined,
  user: UserRecord | undefined,
): FoundId | undefined {
  if (!method && !user) return undefined;
  const isPrimary = method?.isPrimary ?? true;
  return { internalId, externalId, method, primaryUserId: method?.primaryUserId ?? internalId, isPrimary };
}

/** The external ids of internal ids that are mapped. */
export async function externalIds(
  reader: Reader,
  app: AppNumber,
  internalIds: readonly InternalUserId[],
): Promise<Map<InternalUserId, ExternalUserId>> {
  const mappings = await reader.getMany(internalIds.map((id) => mappingByInternalId(app, id)));
  return new Map(mappings.flatMap((mapping) => (mapping ? [[mapping.superTokensUserId, mapping.externalUserId] as const] : [])));
}
