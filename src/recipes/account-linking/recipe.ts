import type { Recipe } from '../recipe.ts';

export const accountLinkingRecipe: Recipe = {
  routes: () => import('./routes.ts'),
};
