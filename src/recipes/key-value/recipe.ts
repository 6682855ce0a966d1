import type { Recipe } from '../recipe.ts';
import { keyValues } from './records.ts';

export const keyValueRecipe: Recipe = {
  collections: [keyValues],
};
