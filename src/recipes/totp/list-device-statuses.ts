import type { Commands } from '../../generated/commands.ts';
import { readUserIds } from '../bulk-user-ids.ts';
import type { Context } from '../context.ts';
import { SCOPES } from '../scope.ts';
import { totpDevices } from './records.ts';

/** Whether a user id has a verified device; null when it has no device at all. */
export interface DeviceStatus {
  readonly userId: string;
  readonly hasVerifiedDevice: boolean | null;
}

/** `POST /recipe/totp/device/status/bulk` (contract 05 section 4.11). An empty list needs no existing app. */
export async function listDeviceStatuses(context: Context, command: Commands['totp/list-device-statuses']): Promise<DeviceStatus[]> {
  const userIds = readUserIds(command.userIds);
  if (userIds.length === 0) return [];
  const { app } = await SCOPES.app(context.address, context.traits, context.directory);
  const reads = userIds.map((userId) => ({ collection: totpDevices, key: [app, userId] as const }));
  const records = await context.store.read((reader) => reader.getMany(reads));
  return userIds.map((userId, at) => ({ userId, hasVerifiedDevice: records[at]?.devices.some(({ verified }) => verified) ?? null }));
}
