import { newTotpSecret } from '../../crypto/totp.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { addDevice } from './devices.ts';

export type CreateDeviceResult =
  | { readonly status: 'DEVICE_ALREADY_EXISTS_ERROR' }
  | { readonly status: 'OK'; readonly deviceName: string; readonly secret: string };

/** `POST /recipe/totp/device` (contract 05 section 4.4): adds an unverified device and shows its secret, only once. */
export async function createDevice(context: Context, command: Commands['totp/create-device']): Promise<CreateDeviceResult> {
  const { store } = context;
  const { userId, deviceName: name, skew, period } = command;
  const secret = newTotpSecret(context.randomBytes);
  const device = { name, secret, period, skew, verified: false, createdAt: context.now() };
  const deviceName = await store.transact((tx) => addDevice(tx, context, userId, device));
  return deviceName === undefined ? { status: 'DEVICE_ALREADY_EXISTS_ERROR' } : { status: 'OK', deviceName, secret };
}
