import type { Recipe } from '../recipe.ts';
import { exportMetadata } from './export-metadata.ts';
import { isMetadataUsed, removeMetadata } from './remove-metadata.ts';
import { metadata } from './records.ts';

export const userMetadataRecipe: Recipe = {
  collections: [metadata],
  routes: () => import('./routes.ts'),
  userData: { byId: { use: { name: 'UserMetadata', isUsed: isMetadataUsed }, remove: removeMetadata, export: exportMetadata } },
};
