import type { Recipe } from '../recipe.ts';

export const userIdMappingRecipe: Recipe = {
  routes: () => import('./routes.ts'),
};
