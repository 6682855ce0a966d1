import type { Services } from '../../src/recipes/context.ts';
import { COLLECTIONS, JOBS } from '../../src/recipes/recipes.ts';

/** One batch of a periodic job, at most `limit` pieces; answers whether there is more. @param now ms since the epoch */
export function runJob(
  name: string,
  { store, directory, trail }: Pick<Services, 'store' | 'directory' | 'trail'>,
  now: number,
  limit: number,
): Promise<boolean> {
  const job = JOBS.find((one) => one.name === name);
  if (!job) throw new Error(`there is no job ${name}`);
  return job.run({ store, directory, trail, collections: COLLECTIONS, now: () => now }, limit);
}
