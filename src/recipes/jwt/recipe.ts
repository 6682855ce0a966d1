import type { Recipe } from '../recipe.ts';

export const jwtRecipe: Recipe = {
  collections: [],
  routes: () => import('./routes.ts'),
};
