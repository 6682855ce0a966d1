import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { checkCode, type Failure } from './check-code.ts';
import { putDevices } from './devices.ts';

export type VerifyDeviceResult =
  | Failure
  | { readonly status: 'UNKNOWN_DEVICE_ERROR' }
  | { readonly status: 'OK'; readonly wasAlreadyVerified: boolean };

/** `POST /recipe/totp/device/verify` (contract 05 section 4.10). For a verified device code and limit are ignored. */
export async function verifyDevice(context: Context, command: Commands['totp/verify-device']): Promise<VerifyDeviceResult> {
  const { userId, deviceName, totp } = command;
  return checkCode<VerifyDeviceResult>(context, {
    userId,
    code: totp,
    choose: (devices) => {
      const device = devices.find(({ name }) => name === deviceName);
      if (!device) return { answer: { status: 'UNKNOWN_DEVICE_ERROR' } };
      return device.verified ? { answer: { status: 'OK', wasAlreadyVerified: true } } : { candidates: [device] };
    },
    accept: async (tx, devices) => {
      const proven = devices.map((device) => (device.name === deviceName ? { ...device, verified: true } : device));
      await putDevices(tx, { app: context.tenant.app, userId }, proven);
      await recordEvent(tx, context, 'totp.device-verified', { userId, details: { device: deviceName } });
      return { status: 'OK', wasAlreadyVerified: false };
    },
  });
}
