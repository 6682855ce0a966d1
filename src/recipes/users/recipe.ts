import type { Recipe } from '../recipe.ts';
import { mappingsByExternalId, mappingsByInternalId } from '../accounts/mapping-records.ts';
import { loginMethods, reservations, users } from '../accounts/records.ts';

export const usersRecipe: Recipe = {
  collections: [loginMethods, users, reservations, mappingsByInternalId, mappingsByExternalId],
  routes: () => import('./routes.ts'),
};
