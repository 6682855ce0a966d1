import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { type KeyKind, retireSigningKey } from '../signing-keys/operate.ts';

/** What became of a key, and of those who rely on it. */
export type RetiredKey =
  | { readonly status: 'OK'; readonly kind: KeyKind; readonly wasSigning: boolean; readonly breaks: string }
  | { readonly status: 'UNKNOWN_KEY_ERROR' };

const BREAKS: Readonly<Record<KeyKind, string>> = {
  dynamic: 'Access tokens that it signed do not verify any more: their sessions go on with the next refresh.',
  static: 'JWTs and access tokens that it signed do not verify any more: JWTs have to be issued anew.',
};
const UNKNOWN_TO_VERIFIERS = ' Those who verify by themselves may refuse what the new key signs until they fetch the key set again.';

/** `POST /manage/v1/signing-keys/retire`. */
export async function retireKey(context: Context, { kid }: Commands['management/retire-key']): Promise<RetiredKey> {
  const retired = await retireSigningKey(context, context.tenant, kid);
  if (!retired) return { status: 'UNKNOWN_KEY_ERROR' };
  const { kind, wasSigning } = retired;
  return { status: 'OK', kind, wasSigning, breaks: BREAKS[kind] + (wasSigning ? UNKNOWN_TO_VERIFIERS : '') };
}
