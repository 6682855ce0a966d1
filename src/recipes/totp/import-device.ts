import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { addDevice, withDevice } from './devices.ts';
import type { TotpDevice } from './records.ts';

export type { TotpDevice };

export type ImportDeviceResult =
  | { readonly status: 'DEVICE_ALREADY_EXISTS_ERROR' }
  | { readonly status: 'OK'; readonly deviceName: string };

/** `POST /recipe/totp/device/import` (contract 05 section 4.6): adds a device of another system as a verified one. */
export async function importDevice(context: Context, command: Commands['totp/import-device']): Promise<ImportDeviceResult> {
  const { store } = context;
  const { userId, deviceName: name, secretKey: secret, skew, period } = command;
  const device = { name, secret, period, skew, verified: true, createdAt: context.now() };
  const deviceName = await store.transact((tx) => addDevice(tx, context, userId, device));
  return deviceName === undefined ? { status: 'DEVICE_ALREADY_EXISTS_ERROR' } : { status: 'OK', deviceName };
}

/** A device as a bulk import brings it. */
export interface ImportedDevice {
  readonly deviceName: string | undefined;
  readonly secretKey: string;
  readonly skew: number;
  readonly period: number;
}

/**
 * A user's devices with imported ones, which count as verified and replace those of the same name; unnamed ones get a
 * name (contract 05 section 6.9 item 7). `putDevices` stores them. @throws Refusal for too many devices
 */
export function withImportedDevices(
  devices: readonly TotpDevice[],
  imported: readonly ImportedDevice[],
  createdAt: number,
): readonly TotpDevice[] {
  return imported.reduce((all, { deviceName: name, secretKey: secret, skew, period }) => {
    const device = { name, secret, period, skew, verified: true, createdAt };
    return withDevice(all, device, true)?.devices ?? all;
  }, devices);
}
