/** Engines whose data is mapped into memory answer at once; a database over the network answers with a promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a value that may not be there yet, without a promise when it is. */
export function whenReady<T, U>(value: MaybePromise<T>, proceed: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}

/** Several values that may not be there yet, asked for together; without a promise when all are. */
export function allReady<const T extends readonly unknown[]>(values: T): MaybePromise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  if (values.some((value) => value instanceof Promise)) return Promise.all(values);
  const ready: unknown = values;
  return ready as { -readonly [I in keyof T]: Awaited<T[I]> };
}
