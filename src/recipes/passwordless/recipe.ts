import { HOUR_MS, type Recipe } from '../recipe.ts';
import { removeDevicesOfMethod } from './devices.ts';
import { removeExpiredDevices } from './expiry.ts';
import { devices } from './records.ts';

export const passwordlessRecipe: Recipe = {
  collections: [devices],
  routes: () => import('./routes.ts'),
  jobs: [
    {
      name: 'expired-passwordless-devices',
      everyMs: HOUR_MS,
      run: ({ store, directory, now }, limit) => removeExpiredDevices(store, directory, now(), limit),
    },
  ],
  userData: { removeOfMethod: removeDevicesOfMethod },
};
