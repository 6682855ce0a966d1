/** The tasks of `unruly-worker.js`. */
export interface Unruly {
  /** Ends its thread. */
  exit(): Promise<never>;
  /** Meets an error that nobody catches. */
  throw(): Promise<never>;
  sleep(): Promise<'sleep'>;
  /** Never ends. */
  spin(): Promise<never>;
  echo(): Promise<'echo'>;
  /** The id of its thread. */
  thread(): Promise<number>;
}
