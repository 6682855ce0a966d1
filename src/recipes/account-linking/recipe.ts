import type { Recipe } from '../recipe.ts';

export const accountLinkingRecipe: Recipe = {
  collections: [],
  routes: () => import('./routes.ts'),
};
