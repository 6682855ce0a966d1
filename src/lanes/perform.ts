import type { Doers, Tasks } from './tasks.ts';

/** What a worker is asked. */
export interface Asked {
  readonly name: string;
  readonly asked: readonly unknown[];
}

/** A task that failed says so in its result: a rejection means that its worker died. */
export type Settled<T> = { readonly value: T } | { readonly failure: string };

/** What a file under `workers/` exports: does the tasks of a table in the calling thread. */
export function performs<T extends Tasks<T>>(tasks: Doers<T>): (task: Asked) => Promise<Settled<unknown>> {
  const byName = new Map<string, (...asked: never) => unknown>(Object.entries(tasks));
  return async ({ name, asked }) => {
    try {
      return { value: await byName.get(name)?.(...(asked as never)) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  };
}
