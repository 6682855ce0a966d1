import { RECIPES } from './recipes.ts';
import type { Route } from './route.ts';

const loaded = await Promise.all(RECIPES.map(({ routes }) => routes?.()));

/** Every endpoint of the product: the only list that router, OpenAPI, metric labels and coverage test read. */
export const ROUTES: readonly Route[] = loaded.flatMap((recipe) => recipe?.ROUTES ?? []);
