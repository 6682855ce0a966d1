import { JOBS } from '../recipes/recipes.ts';

/** What the jobs thread may be working on, by the number that stands in its pulse: the periodic jobs in their order, and imports. */
export const WORKS: readonly string[] = [...JOBS.map(({ name }) => name), 'bulk-import'];

/** The number of imports. */
export const IMPORTS: number = JOBS.length;
