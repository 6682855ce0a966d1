import type { Recipe } from '../recipe.ts';

export const thirdPartyRecipe: Recipe = {
  routes: () => import('./routes.ts'),
};
