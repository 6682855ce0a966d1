import type { Store, TenantNumber } from '../../store/store.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { CLEAN_BUCKET_MS, type DeviceRecord, devices } from './records.ts';

/**
 * Looks at up to `limit` devices whose codes, by the lifetime they were made with, had expired before this hour;
 * answers whether there may be more (contract 03 section 1.11). Devices that live on by today's lifetime come again in
 * a later hour, all others are deleted, so that each leaves the range.
 * @param now ms since the epoch
 */
export async function removeExpiredDevices(store: Store, directory: TenantDirectory, now: number, limit: number): Promise<boolean> {
  const until = [Math.floor(now / CLEAN_BUCKET_MS)] as const;
  const candidates = await store.read((reader) => reader.list(devices, 'byCleanAfter', { prefix: [], until, limit }));
  const lifetimes = await lifetimesOf(directory, candidates);
  if (candidates.length > 0) {
    await store.transact(async (tx) => {
      const current = await tx.getMany(candidates.map((device) => ({ collection: devices, key: devices.key(device) })));
      for (const device of current) {
        if (!device) continue;
        const cleanAfter = newestOf(device) + (lifetimes.get(device.tenant) ?? 0);
        if (cleanAfter >= now) await tx.put(devices, { ...device, cleanAfter });
        else await tx.delete(devices, devices.key(device));
      }
    });
  }
  return candidates.length === limit;
}

const newestOf = (device: DeviceRecord): number => Math.max(...device.codes.map((code) => code.createdAt));

/** How long codes live, by the number of the tenant; removed tenants are missing. */
async function lifetimesOf(directory: TenantDirectory, found: readonly DeviceRecord[]): Promise<ReadonlyMap<TenantNumber, number>> {
  const apps = new Map(found.map(({ app, tenant }) => [tenant, app]));
  const lifetimes = new Map<TenantNumber, number>();
  for (const [number, app] of apps) {
    const tenant = await directory.byNumber(app, number);
    if (tenant) lifetimes.set(number, tenant.config.passwordless_code_lifetime);
  }
  return lifetimes;
}
