import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { devicesOf, putDevices, removeAttempts } from './devices.ts';

/** `POST /recipe/totp/device/remove` (contract 05 section 4.8): whether it existed. Attempts go with the last one. */
export function removeDevice(context: Context, { userId, deviceName }: Commands['totp/remove-device']): Promise<boolean> {
  const { store, tenant } = context;
  const owner = { app: tenant.app, userId };
  return store.transact(async (tx) => {
    const devices = await devicesOf(tx, owner);
    const left = devices.filter(({ name }) => name !== deviceName);
    if (left.length === devices.length) return false;
    await putDevices(tx, owner, left);
    if (left.length === 0) await removeAttempts(tx, owner);
    await recordEvent(tx, context, 'totp.device-removed', { userId, details: { device: deviceName } });
    return true;
  });
}
