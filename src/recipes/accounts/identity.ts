import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Read, Reader } from '../../store/store.ts';
import { whenReady } from '../../store/maybe-promise.ts';
import { asExternal, asInternal, type InternalUserId } from './ids.ts';
import { mappingByExternalId, mappingByInternalId, type UserIdMapping } from './mappings.ts';
import { isUserId } from './find.ts';
import { membersOf } from './login-methods.ts';
import { type LoginMethodRecord, loginMethods, users } from './records.ts';

/**
 * Who a user id given by a caller stands for (contract 02 section 1.9). A forced mapping can make one user's id
 * another's external id: it stands for the user whose own id it is, and for nobody else (contract 00).
 */
export interface Identity {
  /** The recipe user's id: external when mapped, unless that is another user's own. */
  readonly recipeUserId: string;
  /** The primary user's id: external when mapped; the recipe user's own when it stands alone or is unknown. */
  readonly userId: string;
  readonly internalPrimaryId: InternalUserId;
  /** False when no login method has the id. */
  readonly known: boolean;
  /** Whether a login method has the id and is disabled. */
  readonly isDisabled: boolean;
}

type IdentityReads = readonly [ReturnType<typeof mappingByExternalId>, ReturnType<typeof mappingByInternalId>, MethodRead];
type MethodRead = Read<typeof loginMethods>;
type IdentityRecords = readonly [UserIdMapping | undefined, UserIdMapping | undefined, LoginMethodRecord | undefined];

const loginMethod = (app: AppNumber, id: InternalUserId): MethodRead => ({ collection: loginMethods, key: [app, id] });

/** The reads that resolve an id of an unmapped, unlinked user at once; they join a round with other reads. */
export function identityReads(app: AppNumber, id: string): IdentityReads {
  return [mappingByExternalId(app, asExternal(id)), mappingByInternalId(app, asInternal(id)), loginMethod(app, asInternal(id))];
}

/** Resolves an id from what `identityReads` found; reads again only for mapped or linked users. */
export function resolveIdentity(reader: Reader, app: AppNumber, id: string, found: IdentityRecords): MaybePromise<Identity> {
  const [ofExternal, ofInternal, method] = found;
  const asOwn = asInternal(id);
  if (!ofExternal || method) return ofInternalId(reader, app, asOwn, ofInternal, method);
  const internalId = ofExternal.superTokensUserId;
  // A primary id whose own login method is gone is a user's own id too.
  const reads = reader.getMany([loginMethod(app, internalId), { collection: users, key: [app, asOwn] }]);
  return whenReady(reads, ([mapped, own]) =>
    own ? ofInternalId(reader, app, asOwn, ofInternal, undefined) : withPrimary(reader, app, internalId, id, mapped),
  );
}

function ofInternalId(
  reader: Reader,
  app: AppNumber,
  id: InternalUserId,
  mapping: UserIdMapping | undefined,
  method: LoginMethodRecord | undefined,
): MaybePromise<Identity> {
  if (!mapping) return withPrimary(reader, app, id, id, method);
  const { externalUserId } = mapping;
  return whenReady(isUserId(reader, app, externalUserId), (isOthers) =>
    withPrimary(reader, app, id, isOthers ? id : externalUserId, method),
  );
}

function withPrimary(
  reader: Reader,
  app: AppNumber,
  internalId: InternalUserId,
  recipeUserId: string,
  method: LoginMethodRecord | undefined,
): MaybePromise<Identity> {
  const internalPrimaryId = method?.primaryUserId ?? internalId;
  const state = { recipeUserId, internalPrimaryId, known: method !== undefined, isDisabled: method?.isDisabled === true };
  if (internalPrimaryId === internalId) return { ...state, userId: recipeUserId };
  const { collection, key } = mappingByInternalId(app, internalPrimaryId);
  return whenReady(reader.get(collection, key), (mapping) => ({ ...state, userId: mapping?.externalUserId ?? internalPrimaryId }));
}

/** `identityReads` and `resolveIdentity` in one, where no other read can join. */
export function identityOf(reader: Reader, app: AppNumber, id: string): MaybePromise<Identity> {
  return whenReady(reader.getMany(identityReads(app, id)), (found) => resolveIdentity(reader, app, id, found));
}

/** The primary id of an internal id, else the id itself; ignores mappings (contract 02 section 1.9, plain read). */
export function primaryOfInternalId(app: AppNumber, id: string): MethodRead {
  return loginMethod(app, asInternal(id));
}

/** The id under which a user's activity is recorded: the internal one if it is mapped (contract 02 section 1.14). */
export async function activityIdOf(reader: Reader, app: AppNumber, id: string): Promise<string> {
  const [mappings, isOwn] = await Promise.all([reader.getMany([mappingByExternalId(app, asExternal(id))]), isUserId(reader, app, id)]);
  return isOwn ? id : (mappings[0]?.superTokensUserId ?? id);
}

/** The given id and, if it is internal, those of all login methods of its user (contract 02 section 1.9, listing). */
export async function linkedUserIds(reader: Reader, app: AppNumber, id: string): Promise<string[]> {
  return [...new Set([id, ...(await groupOf(reader, app, asInternal(id))).map((method) => method.id)])];
}

/**
 * Every id, internal and external, under which sessions of the user who owns `id` may stand. An external one that is
 * another user's own is not among them: it stands for that one.
 */
export async function allIdsOfUser(reader: Reader, app: AppNumber, id: string): Promise<string[]> {
  const identity = await identityOf(reader, app, id);
  const group = await groupOf(reader, app, identity.internalPrimaryId);
  const internalIds = new Set([identity.internalPrimaryId, ...group.map((method) => method.id)]);
  const mappings = await reader.getMany([...internalIds].map((internalId) => mappingByInternalId(app, internalId)));
  const own = new Set([id, ...internalIds]);
  const outer = mappings.flatMap((mapping) => (mapping && !own.has(mapping.externalUserId) ? [mapping.externalUserId] : []));
  const areOthers = await Promise.all(outer.map((externalId) => isUserId(reader, app, externalId)));
  return [...own, ...outer.filter((_, at) => !areOthers[at])];
}

async function groupOf(reader: Reader, app: AppNumber, internalId: InternalUserId): Promise<LoginMethodRecord[]> {
  const own = await reader.get(loginMethods, [app, internalId]);
  if (own && !own.isPrimary) return [own];
  return membersOf(reader, app, own?.primaryUserId ?? internalId);
}
