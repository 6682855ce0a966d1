import { RECIPES } from './recipes.ts';
import type { Route } from './route.ts';

const loaded = await Promise.all(RECIPES.map(({ routes }) => routes?.()));

/** Every endpoint of the product. The router, OpenAPI, metric labels and the coverage test read this list and no other. */
export const ROUTES: readonly Route[] = loaded.flatMap((recipe) => recipe?.ROUTES ?? []);
