import type { Traits } from '../../cdi/traits.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Reader } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { moveVerificationData } from '../email-verification/lookups.ts';
import { Refusal } from '../refusal.ts';
import { isUserId } from '../accounts/find.ts';
import { methodById } from '../accounts/login-methods.ts';
import { recipesUsing, type UserDataName } from '../user-data.ts';
import { mappingByExternalId, mappingByInternalId } from '../accounts/mappings.ts';
import { putMapping } from '../accounts/write-mapping.ts';
import { asExternal, asInternal, type ExternalUserId, type InternalUserId } from '../accounts/ids.ts';

export type CreateMappingResult =
  | { readonly status: 'OK' | 'UNKNOWN_SUPERTOKENS_USER_ID_ERROR' }
  | {
      readonly status: 'USER_ID_MAPPING_ALREADY_EXISTS_ERROR';
      readonly doesSuperTokensUserIdExist: boolean;
      readonly doesExternalUserIdExist: boolean;
    };

const alreadyExists = (doesSuperTokensUserIdExist: boolean, doesExternalUserIdExist: boolean): CreateMappingResult => ({
  status: 'USER_ID_MAPPING_ALREADY_EXISTS_ERROR',
  doesSuperTokensUserIdExist,
  doesExternalUserIdExist,
});

/** The refusal of an id that recipes keep data under (contract 01 section 4). */
export const inUse = (recipe: UserDataName): Refusal => new Refusal('bad-input', { text: `UserId is already in use in ${recipe} recipe` });

/** `POST /recipe/userid/map` (contract 01 section 4.1). A primary id whose login method is gone cannot be mapped. */
export async function createMapping(context: Context, command: Commands['user-id-mapping/create-mapping']): Promise<CreateMappingResult> {
  const { app } = context.tenant;
  const { externalUserIdInfo = null, force = false } = command;
  const [superTokensUserId, externalUserId] = [asInternal(command.superTokensUserId), asExternal(command.externalUserId)];
  return context.store.transact(async (tx) => {
    const mappings = tx.getMany([mappingByExternalId(app, externalUserId), mappingByInternalId(app, superTokensUserId)]);
    const [[taken, own], method] = await Promise.all([mappings, methodById(tx, app, superTokensUserId)]);
    if (taken) return alreadyExists(taken.superTokensUserId === superTokensUserId, true);
    if (!method) return { status: 'UNKNOWN_SUPERTOKENS_USER_ID_ERROR' };
    const isMoving = !force && (await mustMoveVerification(tx, context, superTokensUserId, externalUserId));
    if (own) return alreadyExists(true, false);
    await putMapping(tx, { app, superTokensUserId, externalUserId, externalUserIdInfo });
    if (isMoving) await moveVerificationData(tx, app, superTokensUserId, externalUserId);
    await recordEvent(tx, context, 'mapping.created', { userId: externalUserId, details: { internalUserId: superTokensUserId } });
    return { status: 'OK' };
  });
}

/** Checks both ids of an unforced mapping; answers whether verification data must move along. @throws Refusal */
async function mustMoveVerification(
  reader: Reader,
  { tenant: { app }, traits, userData, now }: Context,
  superTokensUserId: InternalUserId,
  externalUserId: ExternalUserId,
): Promise<boolean> {
  const [isForeign, [first, ...others]] = await Promise.all([
    isUserId(reader, app, externalUserId),
    recipesUsing(userData, reader, app, superTokensUserId, now()),
  ]);
  if (isForeign) {
    throw new Refusal('bad-input', { text: 'Cannot create a userId mapping where the externalId is also a SuperTokens userID' });
  }
  if (first === undefined) return false;
  if (!canMove(traits, first) || others.length > 0) throw inUse(first);
  return true;
}

/** From CDI 4.0 on verification data does not stand in the way of a mapping: it moves. */
const canMove = (traits: Traits, recipe: UserDataName): boolean => traits.accountLinking && recipe === 'EmailVerification';
