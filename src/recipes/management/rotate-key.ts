import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { rotateSigningKey } from '../signing-keys/operate.ts';

/** `POST /manage/v1/signing-keys/rotate`: answers the id of the new key. */
export function rotateKey(context: Context, { kind = 'dynamic' }: Commands['management/rotate-key']): Promise<string> {
  return rotateSigningKey(context, context.tenant, kind === 'static' ? 'static' : 'dynamic');
}
