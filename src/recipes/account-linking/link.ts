import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { removeLastActive } from '../active-users/remove.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { removeSessionsOfId } from '../session/sessions-of-id.ts';
import { endSessionsOfUser } from '../session/revoke.ts';
import { areDisabled } from '../accounts/disable.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';
import type { FoundId } from '../accounts/find.ts';
import { checkLinking, join } from '../accounts/linking.ts';
import { loadUserOf, type User } from '../users/user.ts';
import { requireId, requireMethod, userOf } from './named-user.ts';
import { type InfoObstacle, infoObstacle, linkedObstacle, type Obstacle } from './obstacles.ts';

type NotPrimary = { readonly status: 'INPUT_USER_IS_NOT_A_PRIMARY_USER' };
type LinkedElsewhere = Obstacle<'RECIPE_USER_ID_ALREADY_LINKED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR'>;
type Linked = { readonly status: 'OK'; readonly accountsAlreadyLinked: boolean };

export type CheckLinkResult = Linked | NotPrimary | LinkedElsewhere | InfoObstacle;
export type LinkResult = (Linked & { readonly user: User }) | NotPrimary | (LinkedElsewhere & { readonly user: User }) | InfoObstacle;

/** What stands against linking before account infos are looked at; `linked` where there is nothing left to do. */
type Standing = { readonly kind: 'free' | 'linked' } | { readonly kind: 'error'; readonly error: NotPrimary | LinkedElsewhere };

/**
 * `POST /recipe/accountlinking/user/link` (contract 03 section 6.3). The same transaction ends the recipe user's
 * sessions and moves its activity to the primary user. Where one of the two is disabled, both are then, and all their
 * sessions end. @throws Refusal
 */
export async function linkAccounts(context: Context, command: Commands['account-linking/link']): Promise<LinkResult> {
  const { store, activity, tenant, now } = context;
  const { app } = tenant;
  const time = now();
  const { result, joined, active } = await store.transact(async (tx) => {
    const [recipeUser, primaryUser] = await requireBoth(tx, app, command, requireId);
    const { result, joined } = await link(tx, context, recipeUser, primaryUser);
    if (!joined) return { result };
    const { primaryUserId, recipeUserId } = command;
    await recordEvent(tx, context, 'user.linked', { userId: primaryUserId, details: { recipeUserId } });
    const [active] = await Promise.all([
      activity.record(tx, app, primaryUser.internalId, time),
      removeSessionsOfId(tx, app, recipeUser.externalId ?? recipeUser.internalId),
      removeLastActive(tx, app, recipeUser.internalId),
    ]);
    return { result, joined, active };
  });
  activity.written(active);
  if (active && areDisabled(joined)) await endSessionsOfUser(store, app, active.userId);
  return result;
}

/** What came of it; where something was linked, all login methods of the user now. */
interface Outcome {
  readonly result: LinkResult;
  readonly joined?: readonly LoginMethodRecord[];
}

async function link(tx: Transaction, context: Context, recipeUser: FoundId, primaryUser: FoundId): Promise<Outcome> {
  const { app } = context.tenant;
  const standing = await standingOf(tx, app, recipeUser, primaryUser);
  if (standing.kind === 'error') {
    const { error } = standing;
    return {
      result: error.status === 'INPUT_USER_IS_NOT_A_PRIMARY_USER' ? error : { ...error, user: await userOf(tx, context, recipeUser) },
    };
  }
  const { method } = recipeUser;
  if (standing.kind === 'linked' || !method) {
    return { result: { status: 'OK', accountsAlreadyLinked: true, user: await userOf(tx, context, recipeUser) } };
  }
  const { conflict, joining } = await checkLinking(tx, primaryUser.primaryUserId, method);
  if (conflict) return { result: await infoObstacle(tx, app, conflict) };
  const [user] = await Promise.all([loadUserOf(tx, context.directory, joining.members), join(tx, joining)]);
  return { result: { status: 'OK', accountsAlreadyLinked: false, user }, joined: joining.members };
}

/** `GET /recipe/accountlinking/user/link/check` (contract 03 section 6.4): a dry run of linking. @throws Refusal */
export async function checkLink(
  { store, tenant: { app } }: Context,
  command: Commands['account-linking/check-link'],
): Promise<CheckLinkResult> {
  return store.read(async (reader) => {
    const [recipeUser, primaryUser] = await requireBoth(reader, app, command, requireMethod);
    const standing = await standingOf(reader, app, recipeUser, primaryUser);
    if (standing.kind === 'error') return standing.error;
    if (standing.kind === 'linked') return { status: 'OK', accountsAlreadyLinked: true };
    const { conflict } = await checkLinking(reader, primaryUser.primaryUserId, recipeUser.method);
    return conflict ? infoObstacle(reader, app, conflict) : { status: 'OK', accountsAlreadyLinked: false };
  });
}

function requireBoth<F>(
  reader: Reader,
  app: AppNumber,
  { recipeUserId, primaryUserId }: { readonly recipeUserId: string; readonly primaryUserId: string },
  require: (reader: Reader, app: AppNumber, id: string) => Promise<F>,
): Promise<[F, F]> {
  return Promise.all([require(reader, app, recipeUserId), require(reader, app, primaryUserId)]);
}

async function standingOf(reader: Reader, app: AppNumber, recipeUser: FoundId, primaryUser: FoundId): Promise<Standing> {
  if (!primaryUser.isPrimary) return { kind: 'error', error: { status: 'INPUT_USER_IS_NOT_A_PRIMARY_USER' } };
  if (recipeUser.primaryUserId === primaryUser.primaryUserId) return { kind: 'linked' };
  if (!recipeUser.isPrimary) return { kind: 'free' };
  const error = await linkedObstacle(reader, app, recipeUser, {
    status: 'RECIPE_USER_ID_ALREADY_LINKED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR',
    description: 'The input recipe user ID is already linked to another user ID',
  });
  return { kind: 'error', error };
}
