import type { Commands } from '../../generated/commands.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { readKeyValue, removeKeyValue, writeKeyValues } from '../key-value/key-values.ts';

/** `PUT /ee/license` (contract 01 section 7.2): keeps the key; every feature is on anyway, and no server is asked. */
export async function putLicense(context: Context, command: Commands['service/put-license']): Promise<void> {
  if (command.licenseKey === undefined) return;
  await writeKeyValues(context.store, context.tenant.app, { LICENSE_KEY: command.licenseKey }, context.now());
}

/** `GET /ee/license` */
export function getLicense({ store, tenant }: Context): MaybePromise<string | undefined> {
  return store.read((reader) => readKeyValue(reader, tenant.app, 'LICENSE_KEY'));
}

/** `DELETE /ee/license` */
export function deleteLicense({ store, tenant }: Context): Promise<void> {
  return removeKeyValue(store, tenant.app, 'LICENSE_KEY');
}
