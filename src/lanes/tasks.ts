/*
 * A task is a function whose arguments and answer are plain data, so that another thread can do it. Tables of tasks are
 * interfaces, declared where their subject lives; lanes and ports carry any of them, by the names of tasks.
 */

/** A table of tasks: name → arguments and answer. */
export type Tasks<T> = { readonly [N in keyof T]: (...asked: never) => Promise<unknown> };

/** The tasks of a table as a worker does them: by calling these functions. */
export type Doers<T extends Tasks<T>> = {
  readonly [N in keyof T]: (...asked: Parameters<T[N]>) => ReturnType<T[N]> | Awaited<ReturnType<T[N]>>;
};

/** What stands around a call of a task that is done for another thread. */
export interface Asking {
  /** Aborts when nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
  /** To be called when a task that waits for its turn in a lane has it. */
  readonly onStart?: (() => void) | undefined;
}

/** The tasks of a table as a thread serves them to others. */
export type Served<T extends Tasks<T>> = {
  readonly [N in keyof T]: (asked: Parameters<T[N]>, asking?: Asking) => ReturnType<T[N]> | Awaited<ReturnType<T[N]>>;
};

/** Memory of the byte arrays in a task's arguments or answer: it is transferred with them, not copied. */
export function memoryOf(sent: unknown): ArrayBuffer[] {
  if (typeof sent !== 'object' || sent === null) return [];
  return Object.values(sent).flatMap((member: unknown) =>
    ArrayBuffer.isView(member) && member.buffer instanceof ArrayBuffer ? [member.buffer] : [],
  );
}
