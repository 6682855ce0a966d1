import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { removeSessionsOfId } from '../session/sessions-of-id.ts';
import { unlinkMethod } from '../accounts/linking.ts';
import { membersOf } from '../accounts/login-methods.ts';
import { removeLoginMethods } from '../users/remove-user.ts';
import { requireId } from './named-user.ts';

export interface Unlinked {
  readonly wasRecipeUserDeleted: boolean;
  readonly wasLinked: boolean;
}

/**
 * `POST /recipe/accountlinking/user/unlink` (contract 03 section 6.5). The login method whose id is the user's cannot
 * leave the others: it is deleted. Sessions under the id end. @throws Refusal
 */
export async function unlinkAccount(context: Context, command: Commands['account-linking/unlink']): Promise<Unlinked> {
  const {
    store,
    tenant: { app },
    userData,
  } = context;
  return store.transact(async (tx) => {
    const { method, isPrimary, primaryUserId, internalId, externalId } = await requireId(tx, app, command.recipeUserId);
    if (!isPrimary) return { wasRecipeUserDeleted: false, wasLinked: false };
    const members = await membersOf(tx, app, primaryUserId);
    const wasRecipeUserDeleted = internalId === primaryUserId && members.length > 1;
    const leaving =
      method && (wasRecipeUserDeleted ? removeLoginMethods(userData, tx, members, [method]) : unlinkMethod(tx, members, method));
    await Promise.all([leaving, removeSessionsOfId(tx, app, externalId ?? internalId)]);
    const details = { recipeUserId: command.recipeUserId, wasRemoved: wasRecipeUserDeleted };
    await recordEvent(tx, context, 'user.unlinked', { userId: primaryUserId, details });
    return { wasRecipeUserDeleted, wasLinked: true };
  });
}
