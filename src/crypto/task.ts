import type { HashParameters } from './lanes.ts';
import type { UploadRules } from './upload.ts';

/** What the hash workers are asked. */
export type HashTask =
  | { readonly kind: 'hash'; readonly password: string; readonly parameters: HashParameters }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string; readonly firebaseSignerKey: string | null };

/** What the import workers are asked besides. */
export interface UploadTask {
  readonly kind: 'upload';
  readonly body: Uint8Array<ArrayBuffer>;
  readonly rules: UploadRules;
}

/** A task that failed says so in its result: a rejection means that its worker died. */
export type Settled<T> = { readonly value: T } | { readonly failure: string };

/** Runs a task in a worker. */
export async function settle<T>(work: () => T | Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
