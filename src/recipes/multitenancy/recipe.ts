import { MINUTE_MS, type Recipe } from '../recipe.ts';
import { apiKeyUses, counters, tenants, tombstones } from '../tenants/records.ts';
import { purgeTombstones } from './purge-tombstones.ts';

export const multitenancyRecipe: Recipe = {
  collections: [tenants, counters, tombstones, apiKeyUses],
  routes: () => import('./routes.ts'),
  jobs: [
    {
      name: 'removed-tenants',
      everyMs: MINUTE_MS,
      run: ({ store, collections, now }, limit) => purgeTombstones(store, collections, now(), limit),
    },
  ],
};
