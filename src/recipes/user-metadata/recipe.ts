import { MINUTE_MS, type Recipe } from '../recipe.ts';
import { exportMetadata } from './export-metadata.ts';
import { indexMetadata } from './index-metadata.ts';
import { isMetadataUsed, removeMetadata } from './remove-metadata.ts';
import { metadata, metadataSearch, metadataSearchProgress } from './records.ts';

export const userMetadataRecipe: Recipe = {
  collections: [metadata, metadataSearch, metadataSearchProgress],
  routes: () => import('./routes.ts'),
  jobs: [{ name: 'metadata-index', everyMs: MINUTE_MS, run: indexMetadata }],
  userData: { byId: { use: { name: 'UserMetadata', isUsed: isMetadataUsed }, remove: removeMetadata, export: exportMetadata } },
};
