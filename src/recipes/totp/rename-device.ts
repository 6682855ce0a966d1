import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { devicesOf, putDevices } from './devices.ts';

export type RenameDeviceResult = 'OK' | 'UNKNOWN_DEVICE_ERROR' | 'DEVICE_ALREADY_EXISTS_ERROR';

/** `PUT /recipe/totp/device` (contract 05 section 4.5). */
export function renameDevice({ store, tenant }: Context, command: Commands['totp/rename-device']): Promise<RenameDeviceResult> {
  const { userId, existingDeviceName: from, newDeviceName: to } = command;
  const owner = { app: tenant.app, userId };
  return store.transact(async (tx) => {
    const devices = await devicesOf(tx, owner);
    const device = devices.find(({ name }) => name === from);
    if (!device) return 'UNKNOWN_DEVICE_ERROR';
    if (from === to) return 'OK';
    if (devices.some(({ name }) => name === to)) return 'DEVICE_ALREADY_EXISTS_ERROR';
    await putDevices(tx, owner, [...devices.filter((each) => each !== device), { ...device, name: to }]);
    return 'OK';
  });
}
