import type { Commands } from '../../generated/commands.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { optionsInTenant } from './options.ts';
import { OPTIONS_NOT_FOUND } from './outcomes.ts';
import type { OptionsRecord } from './records.ts';

export type FoundOptions = typeof OPTIONS_NOT_FOUND | { readonly status: 'OK'; readonly options: OptionsRecord };

/** `GET /recipe/webauthn/options` (contract 07 section 2.3): options of the tenant, also when they have expired. */
export function getOptions({ store, tenant }: Context, command: Commands['webauthn/options-of-id']): MaybePromise<FoundOptions> {
  const found = store.read((reader) => optionsInTenant(reader, tenant, command.webauthnGeneratedOptionsId));
  return whenReady(found, (options): FoundOptions => (options ? { status: 'OK', options } : OPTIONS_NOT_FOUND));
}
