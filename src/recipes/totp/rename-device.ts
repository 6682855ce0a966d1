import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { devicesOf, putDevices } from './devices.ts';

export type RenameDeviceResult = 'OK' | 'UNKNOWN_DEVICE_ERROR' | 'DEVICE_ALREADY_EXISTS_ERROR';

/** `PUT /recipe/totp/device` (contract 05 section 4.5). */
export function renameDevice(context: Context, command: Commands['totp/rename-device']): Promise<RenameDeviceResult> {
  const { store, tenant } = context;
  const { userId, existingDeviceName: from, newDeviceName: to } = command;
  const owner = { app: tenant.app, userId };
  return store.transact(async (tx) => {
    const devices = await devicesOf(tx, owner);
    const device = devices.find(({ name }) => name === from);
    if (!device) return 'UNKNOWN_DEVICE_ERROR';
    if (from === to) return 'OK';
    if (devices.some(({ name }) => name === to)) return 'DEVICE_ALREADY_EXISTS_ERROR';
    await putDevices(tx, owner, [...devices.filter((each) => each !== device), { ...device, name: to }]);
    await recordEvent(tx, context, 'totp.device-renamed', { userId, details: { device: to, before: from } });
    return 'OK';
  });
}
