import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { FoundId } from '../accounts/find.ts';
import { checkMakingPrimary, join } from '../accounts/linking.ts';
import { loadUserOf, type User } from '../users/user.ts';
import { requireId, requireMethod, userOf } from './named-user.ts';
import { type InfoObstacle, infoObstacle, linkedObstacle, type Obstacle } from './obstacles.ts';

type PrimaryObstacle = Obstacle<'RECIPE_USER_ID_ALREADY_LINKED_WITH_PRIMARY_USER_ID_ERROR'> | InfoObstacle;

export type CheckPrimaryResult = { readonly status: 'OK'; readonly wasAlreadyAPrimaryUser: boolean } | PrimaryObstacle;
export type MakePrimaryResult = { readonly status: 'OK'; readonly wasAlreadyAPrimaryUser: boolean; readonly user: User } | PrimaryObstacle;

/** `POST /recipe/accountlinking/user/primary` (contract 03 section 6.1), one transaction. @throws Refusal */
export async function makePrimaryUser(context: Context, command: Commands['account-linking/make-primary']): Promise<MakePrimaryResult> {
  const { store, directory, tenant } = context;
  const { app } = tenant;
  return store.transact(async (tx) => {
    const found = await requireId(tx, app, command.recipeUserId);
    const linked = await linkedElsewhere(tx, app, found);
    if (linked) return linked;
    if (!found.method || found.isPrimary) return { status: 'OK', wasAlreadyAPrimaryUser: true, user: await userOf(tx, context, found) };
    const { conflict, joining } = await checkMakingPrimary(tx, found.method);
    if (conflict) return infoObstacle(tx, app, conflict);
    const [user] = await Promise.all([loadUserOf(tx, directory, joining.members), join(tx, joining)]);
    await recordEvent(tx, context, 'user.made-primary', { userId: command.recipeUserId });
    return { status: 'OK', wasAlreadyAPrimaryUser: false, user };
  });
}

/** `GET /recipe/accountlinking/user/primary/check` (contract 03 section 6.2): a dry run. @throws Refusal */
export async function checkPrimary(
  { store, tenant: { app } }: Context,
  command: Commands['account-linking/check-primary'],
): Promise<CheckPrimaryResult> {
  return store.read(async (reader) => {
    const found = await requireMethod(reader, app, command.recipeUserId);
    const linked = await linkedElsewhere(reader, app, found);
    if (linked) return linked;
    if (found.isPrimary) return { status: 'OK', wasAlreadyAPrimaryUser: true };
    const { conflict } = await checkMakingPrimary(reader, found.method);
    return conflict ? infoObstacle(reader, app, conflict) : { status: 'OK', wasAlreadyAPrimaryUser: false };
  });
}

async function linkedElsewhere(reader: Reader, app: AppNumber, found: FoundId): Promise<PrimaryObstacle | undefined> {
  if (found.primaryUserId === found.internalId) return undefined;
  const status = 'RECIPE_USER_ID_ALREADY_LINKED_WITH_PRIMARY_USER_ID_ERROR';
  return linkedObstacle(reader, app, found, { status, description: 'This user ID is already linked to another user ID' });
}
