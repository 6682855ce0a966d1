import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { optionsInTenant } from './options.ts';
import { OPTIONS_NOT_FOUND } from './outcomes.ts';
import { webauthnOptions } from './records.ts';

export type RemovedOptions = typeof OPTIONS_NOT_FOUND | { readonly status: 'OK' };

/** `DELETE /recipe/webauthn/options/remove` (contract 07 section 2.4). */
export function removeOptions({ store, tenant }: Context, command: Commands['webauthn/options-of-id']): Promise<RemovedOptions> {
  return store.transact(async (tx) => {
    const options = await optionsInTenant(tx, tenant, command.webauthnGeneratedOptionsId);
    if (!options) return OPTIONS_NOT_FOUND;
    await tx.delete(webauthnOptions, webauthnOptions.key(options));
    return { status: 'OK' };
  });
}
