import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { removeApiKey } from '../tenants/keep-api-keys.ts';

/** `POST /manage/v1/api-keys/remove`: answers whether there was such a key. */
export function removeApiKeyOf(context: Context, { name }: Commands['management/remove-api-key']): Promise<boolean> {
  return removeApiKey(context, context.tenant, name);
}
