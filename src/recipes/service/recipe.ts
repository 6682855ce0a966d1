import type { Recipe } from '../recipe.ts';

export const serviceRecipe: Recipe = {
  collections: [],
  routes: () => import('./routes.ts'),
};
