import type { Store } from '../../store/store.ts';
import type { TenantDirectory } from '../multitenancy/directory.ts';
import { cooldownMs } from './judge-attempt.ts';
import { CLEAN_BUCKET_MS, type TotpAttemptsRecord, totpAttempts } from './records.ts';

/**
 * Goes through at most `limit` users' attempts that counted for nothing any more before this hour, by the cool-down that held when they were
 * written; answers whether there may be more (contract 05 section 1). The tenant's present cool-down decides: what still counts by it is
 * put off until it no longer does, all others are deleted, so that everything that is looked at leaves the range.
 * @param now ms since the epoch
 */
export async function removeExpiredAttempts(store: Store, directory: TenantDirectory, now: number, limit: number): Promise<boolean> {
  const until = [Math.floor(now / CLEAN_BUCKET_MS)];
  const candidates = await store.read((reader) => reader.list(totpAttempts, 'byCleanAfter', { prefix: [], until, limit }));
  const cooldowns = await cooldownsOf(directory, candidates);
  if (candidates.length > 0) {
    await store.transact(async (tx) => {
      const current = await tx.getMany(candidates.map((record) => ({ collection: totpAttempts, key: totpAttempts.key(record) })));
      for (const record of current) {
        if (!record) continue;
        const cleanAfter = record.expiresAt + (cooldowns.get(record.tenant) ?? 0);
        if (cleanAfter >= now) await tx.put(totpAttempts, { ...record, cleanAfter });
        else await tx.delete(totpAttempts, totpAttempts.key(record));
      }
    });
  }
  return candidates.length === limit;
}

/** The cool-downs in force in ms, by the number of the tenant; removed tenants are missing. */
async function cooldownsOf(directory: TenantDirectory, found: readonly TotpAttemptsRecord[]): Promise<ReadonlyMap<number, number>> {
  const apps = new Map(found.map(({ app, tenant }) => [tenant, app]));
  const cooldowns = new Map<number, number>();
  for (const [number, app] of apps) {
    const tenant = await directory.byNumber(app, number);
    if (tenant) cooldowns.set(number, cooldownMs(tenant.config));
  }
  return cooldowns;
}
