import type { Recipe } from '../recipe.ts';

/** What operators and their commands need and the interface lacks; it keeps nothing of its own. */
export const managementRecipe: Recipe = {
  routes: () => import('./routes.ts'),
};
