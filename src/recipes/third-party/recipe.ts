import type { Recipe } from '../recipe.ts';

export const thirdPartyRecipe: Recipe = {
  collections: [],
  routes: () => import('./routes.ts'),
};
