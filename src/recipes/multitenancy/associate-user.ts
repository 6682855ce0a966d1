import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { mappingByInternalId } from '../accounts/mappings.ts';
import { findId } from '../accounts/find.ts';
import { recipesUsing, removeDataInTenant } from '../user-data.ts';
import { type JoinOutcome, joinTenant, leaveTenant } from '../accounts/tenant-membership.ts';

export type Association =
  | { readonly status: 'OK'; readonly wasAlreadyAssociated: boolean }
  | { readonly status: (typeof DUPLICATES)[keyof typeof DUPLICATES] | 'UNKNOWN_USER_ID_ERROR' }
  | { readonly status: 'ASSOCIATION_NOT_ALLOWED_ERROR'; readonly reason: string };

const DUPLICATES = {
  email: 'EMAIL_ALREADY_EXISTS_ERROR',
  phone: 'PHONE_NUMBER_ALREADY_EXISTS_ERROR',
  tparty: 'THIRD_PARTY_USER_ALREADY_EXISTS_ERROR',
} as const;

const CONFLICT_NAMES = { email: 'email', phone: 'phone number', tparty: 'third party info' } as const;

/** The id that the body names, by either of its names. */
const idOf = ({ userId, recipeUserId }: Commands['multitenancy/associate-user']): string => recipeUserId ?? userId ?? '';

/** `POST /recipe/multitenancy/tenant/user` (contract 04 section 6.1). */
export function associateUser(context: Context, command: Commands['multitenancy/associate-user']): Promise<Association> {
  const { store, tenant } = context;
  const { app } = tenant;
  return store.transact(async (tx): Promise<Association> => {
    const found = await findId(tx, app, idOf(command));
    if (!found) return { status: 'UNKNOWN_USER_ID_ERROR' };
    const outcome = await joinTenant(tx, app, tenant.tenant, found);
    if (outcome.status === 'joined') await recordEvent(tx, context, 'user.tenant-added', { userId: idOf(command) });
    if (outcome.status !== 'not-allowed') return associationOf(outcome);
    const { type, primaryUserId } = outcome.conflict;
    const { collection, key } = mappingByInternalId(app, primaryUserId);
    const owner = (await tx.get(collection, key))?.externalUserId ?? primaryUserId;
    return {
      status: 'ASSOCIATION_NOT_ALLOWED_ERROR',
      reason: `Another primary user with ${CONFLICT_NAMES[type]} already exists: ${owner}`,
    };
  });
}

function associationOf(outcome: Exclude<JoinOutcome, { readonly status: 'not-allowed' }>): Association {
  if (outcome.status === 'unknown') return { status: 'UNKNOWN_USER_ID_ERROR' };
  if (outcome.status === 'duplicate') return { status: DUPLICATES[outcome.type] };
  return { status: 'OK', wasAlreadyAssociated: outcome.status === 'member' };
}

export type Disassociation = { readonly status: 'OK'; readonly wasAssociated: boolean } | { readonly status: 'UNKNOWN_USER_ID_ERROR' };

/** `POST /recipe/multitenancy/tenant/user/remove` (contract 04 section 6.2), with the user's data in this tenant. */
export function disassociateUser(context: Context, command: Commands['multitenancy/disassociate-user']): Promise<Disassociation> {
  const { store, tenant, userData, now } = context;
  const { app } = tenant;
  const id = idOf(command);
  const time = now();
  return store.transact(async (tx): Promise<Disassociation> => {
    const found = await findId(tx, app, id);
    if (!found && (await recipesUsing(userData, tx, app, id, time)).length === 0) return { status: 'UNKNOWN_USER_ID_ERROR' };
    const hadData = await removeDataInTenant(userData, tx, app, tenant.tenant, found?.externalId ?? id);
    const wasMember = found?.method ? await leaveTenant(tx, found.method, tenant.tenant) : false;
    const wasAssociated = hadData || wasMember;
    if (wasAssociated) await recordEvent(tx, context, 'user.tenant-removed', { userId: id });
    return { status: 'OK', wasAssociated };
  });
}
