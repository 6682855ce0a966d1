import type { MessagePort } from 'node:worker_threads';
import type { Blocklist } from '../blocklist/blocklist.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { StorePlan } from '../store/plan.ts';

/** The configuration in force, with what main opened for all threads. */
export interface InForce extends LoadedConfig {
  /** Of `password_blocklist`. */
  readonly blocklist?: Blocklist | undefined;
}

/** What every thread is started with: plain data, shared memory and its port to main. */
export interface ThreadPlan {
  /** Its name in logs and metrics. */
  readonly name: string;
  /** In force when it starts; later see `Thread.loaded`. */
  readonly loaded: InForce;
  /** To main, which does the tasks of `MainTasks` for it. */
  readonly port: MessagePort;
  /** Of the process, in its traces: no other process has it. */
  readonly instanceId: string;
  /** Generation of tenants and configuration, shared by all threads of the process (`DirectoryParts`). */
  readonly generation: SharedArrayBuffer;
  readonly store: StorePlan;
  /** Memory of its `Counters`. */
  readonly counters: SharedArrayBuffer;
  /** Memory of its `Pulse`. */
  readonly pulse: SharedArrayBuffer;
  /** Memory of main's `Pulse`. */
  readonly mainPulse: SharedArrayBuffer;
}

/** What an HTTP thread is started with besides. */
export interface HttpPart {
  /** Signatures that the thread may have under way at a time. */
  readonly signingWidth: number;
  /** Open connections of all HTTP threads (`ConnectionLimit`), and how many there may be. */
  readonly connections: { readonly memory: SharedArrayBuffer; readonly most: number };
}
