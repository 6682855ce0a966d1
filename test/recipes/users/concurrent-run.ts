import type { Store } from '../../../src/store/store.ts';
import { type Outcome, perform, type Step, tenantOf } from './operations.ts';
import type { UsersWorld } from './users-world.ts';

/** A step as it was taken among others. */
interface Taken {
  readonly outcome: Outcome;
  /** Commits that had been made when it began, and when it was answered. */
  readonly from: number;
  readonly until: number;
}

/** Lets `clients` take the steps at once, each taking the next one as soon as it has an answer. */
export async function takeTogether(world: UsersWorld, sequence: readonly Step[], clients: number): Promise<readonly Taken[]> {
  const { engine } = world;
  const taken: Taken[] = [];
  const queue = sequence.entries();
  const client = async (): Promise<void> => {
    for (const [at, step] of queue) {
      const from = engine.log.length;
      const outcome = await engine.operation.run(at, () => perform(world.context(at, tenantOf(step)), step, false));
      taken[at] = { outcome, from, until: engine.log.length };
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return taken;
}

/**
 * Takes the steps one after the other in the order in which they were committed, in a fresh world; answers what is different. A step that
 * wrote nothing must have had its answer at some moment between its beginning and its end.
 */
export async function differencesOfReplay(
  replay: UsersWorld,
  sequence: readonly Step[],
  taken: readonly Taken[],
  commits: readonly number[],
): Promise<string[]> {
  const different: string[] = [];
  const unexplained = new Set(taken.keys());
  const explainReads = async (position: number): Promise<void> => {
    for (const at of unexplained) {
      const { from, until, outcome } = nth(taken, at);
      if (commits.includes(at) || position < from || position > until) continue;
      if ((await dryRun(replay, nth(sequence, at), at)) === outcome) unexplained.delete(at);
    }
  };
  await explainReads(0);
  for (const [position, at] of commits.entries()) {
    const step = nth(sequence, at);
    const outcome = await perform(replay.context(at, tenantOf(step)), step, false);
    if (outcome === nth(taken, at).outcome) unexplained.delete(at);
    else different.push(`step ${at} answered ${nth(taken, at).outcome}, in the order of commits ${outcome}`);
    await explainReads(position + 1);
  }
  const without = [...unexplained].filter((at) => !commits.includes(at));
  return [
    ...different,
    ...without.map((at) => `step ${at} ${JSON.stringify(sequence[at])} answered ${nth(taken, at).outcome} out of order`),
  ];
}

/** What a step would answer now; nothing of it is kept. */
async function dryRun(world: UsersWorld, step: Step, at: number): Promise<Outcome> {
  const store: Store = {
    read: (body) => world.store.read(body),
    readShared: (body) => world.store.readShared(body),
    readPages: (body) => world.store.readPages(body),
    stats: () => world.store.stats(),
    time: () => world.store.time(),
    blockedBy: () => world.store.blockedBy(),
    readers: () => world.store.readers(),
    close: () => Promise.resolve(),
    transact: async (body) => {
      const results: Awaited<ReturnType<typeof body>>[] = [];
      const stop = new Error('dry run');
      const running = world.store.transact(async (tx) => {
        results.push(await body(tx));
        throw stop;
      });
      await running.catch((error: unknown) => {
        if (error !== stop) throw error;
      });
      return nth(results, results.length - 1);
    },
  };
  return perform(world.context(at, tenantOf(step), store), step, false);
}

function nth<T>(list: readonly T[], at: number): T {
  if (at < 0 || at >= list.length) throw new Error(`there is no number ${at}`);
  return list[at] as T;
}
