import { HOUR_MS, type Recipe } from '../recipe.ts';
import { exportDevices } from './export-devices.ts';
import { isTotpUsed, removeTotp } from './devices.ts';
import { removeExpiredAttempts } from './expiry.ts';
import { totpDevices, totpAttempts, tenantTotpAttempts } from './records.ts';

export const totpRecipe: Recipe = {
  collections: [totpDevices, totpAttempts, tenantTotpAttempts],
  routes: () => import('./routes.ts'),
  jobs: [{ name: 'expired-totp-attempts', everyMs: HOUR_MS, run: ({ store, now }, limit) => removeExpiredAttempts(store, now(), limit) }],
  userData: { byId: { use: { name: 'TOTP', isUsed: isTotpUsed }, remove: removeTotp, export: exportDevices } },
};
