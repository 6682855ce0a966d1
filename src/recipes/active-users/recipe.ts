import type { Recipe } from '../recipe.ts';
import { removeLastActive } from './remove.ts';
import { lastActive } from './records.ts';

export const activeUsersRecipe: Recipe = {
  collections: [lastActive],
  userData: { byId: { remove: removeLastActive } },
};
