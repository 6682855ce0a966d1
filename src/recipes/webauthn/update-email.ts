import type { Commands } from '../../generated/commands.ts';
import { changeLoginMethod } from '../accounts/login-methods.ts';
import { recordContactChange } from '../accounts/record-contact-change.ts';
import type { Context } from '../context.ts';
import { findWebauthnMethod } from './find-method.ts';

const STATUSES = {
  changed: 'OK',
  duplicate: 'EMAIL_ALREADY_EXISTS_ERROR',
  'not-allowed': 'USER_WITH_EMAIL_ALREADY_EXISTS_ERROR',
} as const;

export type UpdateEmailResult = { readonly status: (typeof STATUSES)[keyof typeof STATUSES] | 'UNKNOWN_USER_ID_ERROR' };

/** `PUT /recipe/webauthn/user/email` (contract 07 section 6). The email is kept as it is sent. */
export function updateEmail(context: Context, command: Commands['webauthn/update-email']): Promise<UpdateEmailResult> {
  const { store, tenant } = context;
  return store.transact(async (tx) => {
    const method = await findWebauthnMethod(tx, tenant.app, command.recipeUserId);
    if (!method) return { status: 'UNKNOWN_USER_ID_ERROR' };
    const outcome = await changeLoginMethod(tx, method, { email: command.email });
    if (outcome.status === 'changed') await recordContactChange(tx, context, command.recipeUserId, method, outcome.method);
    return { status: STATUSES[outcome.status] };
  });
}
