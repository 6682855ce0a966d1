import type { Recipe } from '../recipe.ts';

export const userIdMappingRecipe: Recipe = {
  collections: [],
  routes: () => import('./routes.ts'),
};
