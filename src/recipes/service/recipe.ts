import type { Recipe } from '../recipe.ts';

export const serviceRecipe: Recipe = {
  routes: () => import('./routes.ts'),
};
