import { toJsonText } from '../../json/free-form.ts';
import type { Reader } from '../../store/store.ts';
import type { Exported, Origin } from '../user-data.ts';
import { totpDevices } from './records.ts';

/** `totpDevices` of an export. An imported device counts as verified, so one that is not stays behind. */
export async function exportDevices(reader: Reader, { tenant }: Origin, userId: string): Promise<Exported | undefined> {
  const found = await reader.get(totpDevices, [tenant.app, userId]);
  if (!found) return undefined;
  const losses = found.devices.flatMap(({ verified }) => (verified ? [] : (['unverified-device'] as const)));
  const verified = found.devices.filter((device) => device.verified);
  const devices = verified.map(({ name, secret, period, skew }) => ({ secretKey: secret, period, skew, deviceName: name }));
  return { members: devices.length === 0 ? {} : { totpDevices: toJsonText(devices) }, losses };
}
