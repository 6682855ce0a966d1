import type { Recipe } from '../recipe.ts';
import { signingKeys } from './records.ts';

export const signingKeysRecipe: Recipe = {
  collections: [signingKeys],
};
