import { JOBS } from '../recipes/recipes.ts';

/** What the jobs thread may work on, by the number in its pulse: the periodic jobs in their order, then imports. */
export const WORKS: readonly string[] = [...JOBS.map(({ name }) => name), 'bulk-import'];

/** The number of imports. */
export const IMPORTS: number = JOBS.length;
