import { LIMITS } from '../../../config/limits.ts';
import { totpAttempts, totpDevices } from '../../../recipes/totp/records.ts';
import type { Row } from '../../../store/foreign-database.ts';
import { flagIn, numberIn, wordIn } from '../layout.ts';
import type { AppPlace, TableGroup, Unit } from '../table-group.ts';
import { appOf } from './user-data.ts';

const DEVICES = 'totp_user_devices';
const USED = 'totp_used_codes';

/** TOTP devices, and what attempts left that still counts (contract 05 section 4.2). */
export const TOTP: TableGroup = {
  name: 'TOTP',
  parts: [
    {
      table: DEVICES,
      unit: ['app_id', 'user_id'],
      names: ['user_id', 'device_name'],
      columns: ['app_id', 'user_id', 'device_name', 'secret_key', 'period', 'skew', 'verified', 'created_at'],
    },
    { table: 'totp_users', unit: ['app_id', 'user_id'], columns: ['app_id', 'user_id'] },
    {
      table: USED,
      unit: ['app_id', 'user_id'],
      names: ['user_id', 'created_time_ms'],
      columns: ['app_id', 'tenant_id', 'user_id', 'code', 'is_valid', 'expiry_time_ms', 'created_time_ms'],
    },
  ],
  collections: [totpDevices, totpAttempts],
  convert: (unit) => {
    const place = appOf(unit);
    if (!place) return;
    const rows = unit.rows(DEVICES);
    const [first] = rows;
    if (!first) return unit.leaveAll('no device');
    const userId = wordIn(first, 'user_id');
    const devices = rows.map((row) => ({
      name: wordIn(row, 'device_name'),
      secret: wordIn(row, 'secret_key'),
      period: numberIn(row, 'period') ?? 30,
      skew: numberIn(row, 'skew') ?? 1,
      verified: flagIn(row, 'verified'),
      createdAt: numberIn(row, 'created_at') ?? 0,
    }));
    unit.make(totpDevices, { app: place.app, userId, devices: devices.toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
    keepAttempts(unit, place, userId);
  },
};

const DAY_MS = 86_400_000;

function keepAttempts(unit: Unit, place: AppPlace, userId: string): void {
  const { now } = unit.places;
  const expiryOf = (row: Row): number => numberIn(row, 'expiry_time_ms') ?? 0;
  const madeAt = (row: Row): number => numberIn(row, 'created_time_ms') ?? 0;
  const newestFirst = unit.rows(USED).toSorted((a, b) => madeAt(b) - madeAt(a));
  const lastRight = newestFirst.find((row) => flagIn(row, 'is_valid'));
  const counts = (row: Row): boolean => {
    const tenant = unit.places.tenant(wordIn(row, 'app_id'), wordIn(row, 'tenant_id'));
    if (!tenant) return false;
    if (flagIn(row, 'is_valid')) return expiryOf(row) > now;
    const isSince = lastRight === undefined || madeAt(row) > madeAt(lastRight);
    return isSince && madeAt(row) + tenant.config.totp_rate_limit_cooldown_sec * 1000 > now;
  };
  const kept = newestFirst.filter(counts);
  for (const row of newestFirst) if (!kept.includes(row)) unit.leave(row, 'expired');
  if (kept.length === 0) return;
  const [wrong, right] = [kept.filter((row) => !flagIn(row, 'is_valid')), kept.filter((row) => flagIn(row, 'is_valid'))];
  unit.make(totpAttempts, {
    app: place.app,
    userId,
    failures: wrong.map(madeAt).slice(0, Math.max(LIMITS.totpFailures, place.config.totp_max_attempts)),
    uses: right.map((row) => ({ code: wordIn(row, 'code'), expiresAt: expiryOf(row) })),
    cleanAfter: Math.max(...kept.map(expiryOf)) + DAY_MS,
  });
}
