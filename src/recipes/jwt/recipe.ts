import type { Recipe } from '../recipe.ts';

export const jwtRecipe: Recipe = {
  routes: () => import('./routes.ts'),
};
