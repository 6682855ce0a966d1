import type { Commands } from '../../generated/commands.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { putKeyValue, readKeyValue, takeKeyValue } from '../key-value/key-values.ts';

const NAME = 'LICENSE_KEY';

/** `PUT /ee/license` (contract 01 section 7.2): keeps the key; every feature is on anyway, and no server is asked. */
export async function putLicense(context: Context, { licenseKey: value }: Commands['service/put-license']): Promise<void> {
  if (value === undefined) return;
  await context.store.transact(async (tx) => {
    await putKeyValue(tx, { app: context.tenant.app, name: NAME, value, createdAt: context.now() });
    await recordEvent(tx, context, 'license.changed');
  });
}

/** `GET /ee/license` */
export function getLicense({ store, tenant }: Context): MaybePromise<string | undefined> {
  return store.read((reader) => readKeyValue(reader, tenant.app, NAME));
}

/** `DELETE /ee/license` */
export function deleteLicense(context: Context): Promise<void> {
  return context.store.transact(async (tx) => {
    if (await takeKeyValue(tx, context.tenant.app, NAME)) await recordEvent(tx, context, 'license.changed');
  });
}
