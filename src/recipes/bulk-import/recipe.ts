import type { Recipe } from '../recipe.ts';
import { queueEntries, queueClaims } from './records.ts';

export const bulkImportRecipe: Recipe = {
  collections: [queueEntries, queueClaims],
  routes: () => import('./routes.ts'),
};
