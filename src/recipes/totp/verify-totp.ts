import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { checkCode, type Failure } from './check-code.ts';

export type VerifyTotpResult = Failure | { readonly status: 'OK' | 'UNKNOWN_USER_ID_ERROR' };

/** `POST /recipe/totp/verify` (contract 05 section 4.9): a code of any verified device of the user. */
export function verifyTotp(context: Context, { userId, totp }: Commands['totp/verify-totp']): Promise<VerifyTotpResult> {
  return checkCode<VerifyTotpResult>(context, {
    userId,
    code: totp,
    choose: (devices) =>
      devices.length === 0 ? { answer: { status: 'UNKNOWN_USER_ID_ERROR' } } : { candidates: devices.filter((device) => device.verified) },
    accept: () => ({ status: 'OK' }),
  });
}
