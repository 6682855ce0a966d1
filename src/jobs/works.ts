import { JOBS } from '../recipes/recipes.ts';

/** What the jobs thread may work on, by the number in its pulse: the jobs in their order, then what it adds itself. */
export const WORKS: readonly string[] = [...JOBS.map(({ name }) => name), 'bulk-import', 'backup', 'webhooks'];

/** The number of imports. */
export const IMPORTS: number = JOBS.length;

/** The number of backups on a schedule. */
export const BACKUPS: number = JOBS.length + 1;

/** The number of deliveries to webhooks. */
export const WEBHOOKS: number = JOBS.length + 2;
