import type { MessagePort } from 'node:worker_threads';
import type { LoadedConfig } from '../config/config.ts';
import type { SecondCount } from '../observe/request-stats.ts';
import type { RequestStats } from '../recipes/context.ts';

/** What an HTTP thread is started with: plain data, shared memory and its one port to the pool that hashes passwords. */
export interface ThreadPlan {
  /** Its name in logs and metrics. */
  readonly name: string;
  readonly loaded: LoadedConfig;
  readonly cryptoPort: MessagePort;
  /** Signatures that the thread may have under way at a time. */
  readonly signingWidth: number;
  /** Generation of tenants and configuration, shared by all threads of the process. */
  readonly generation: SharedArrayBuffer;
  /** What the threads of the process wrote into the store (`Changes`). */
  readonly changes: SharedArrayBuffer;
  /** Open connections of all HTTP threads (`ConnectionLimit`), and how many there may be. */
  readonly connections: { readonly memory: SharedArrayBuffer; readonly most: number };
  /** Memory of its `Counters`. */
  readonly counters: SharedArrayBuffer;
  /** Memory of its `Pulse`. */
  readonly pulse: SharedArrayBuffer;
  /** Memory of main's `Pulse`. */
  readonly mainPulse: SharedArrayBuffer;
}

/** What a thread may ask main, with the answer. */
export interface Questions {
  /** Traffic of an app over the last day. */
  readonly 'request-stats': { readonly asked: { readonly app: number }; readonly answer: RequestStats };
  /** The metrics of the whole process as text. */
  readonly metrics: { readonly asked: undefined; readonly answer: { readonly contentType: string; readonly text: string } };
  /** Answered as long as main, which owns the crypto pool, is alive and not stopping. */
  readonly ready: { readonly asked: undefined; readonly answer: boolean };
}

export type QuestionName = keyof Questions;

/** A question on its way to main. */
export type Ask = {
  [Q in QuestionName]: { readonly kind: 'ask'; readonly id: number; readonly question: Q; readonly asked: Questions[Q]['asked'] };
}[QuestionName];

export type FromThread =
  /** Everything but the listener is open; says whether several threads can listen on one port. */
  | { readonly kind: 'prepared'; readonly sharesPort: boolean }
  /** It listens, on this port. */
  | { readonly kind: 'listening'; readonly port: number }
  /** It can not do its work and ends; the first line of the reason. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'counted'; readonly count: SecondCount }
  | Ask;

export type ToThread =
  /** @param port 0 for any free one */
  | { readonly kind: 'listen'; readonly port: number }
  /** Accept nothing more, finish what is in flight, close, exit 0. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly id: number };
