import type { Commands } from '../../generated/commands.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { devicesOf } from './devices.ts';
import type { TotpDevice } from './records.ts';

/** `GET /recipe/totp/device/list` (contract 05 section 4.7). */
export function listDevices({ store, tenant }: Context, { userId }: Commands['totp/list-devices']): MaybePromise<readonly TotpDevice[]> {
  return store.read((reader) => devicesOf(reader, { app: tenant.app, userId }));
}
