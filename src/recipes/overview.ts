/*
 * What a running process tells of itself to who looks after it, shaped as it is answered: plain JSON, nothing secret.
 * Times are ms since the epoch where they end in `At`. Counters count since the process started.
 */

/** The process that answers: one of several nodes, it may be. */
export type ProcessFacts = {
  /** Random, of this start: with another one, all counters begin anew. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly nodeVersion: string;
  readonly httpThreads: number;
  readonly startedAt: number;
  /** Never set back, unlike the clock: rates are differences of counters by differences of this. */
  readonly uptimeSeconds: number;
  readonly residentBytes: number;
  readonly cpuSeconds: number;
};

/** What one endpoint answered. */
export type RouteLoad = {
  /** Empty, like the path, for what no endpoint is: probes, unknown paths, refusals before the routing. */
  readonly method: string;
  readonly path: string;
  /** 2xx, 3xx, 4xx, 5xx. */
  readonly byStatus: readonly number[];
  /** By the bounds beside it, not cumulative, with one more for slower ones. */
  readonly byLatency: readonly number[];
  readonly seconds: number;
};

export type RequestLoad = {
  readonly boundsSeconds: readonly number[];
  /** Those that were asked at all. */
  readonly routes: readonly RouteLoad[];
  readonly inFlight: number;
  /** The worst of the HTTP threads, of the last second. */
  readonly eventLoopDelayP99Seconds: number;
};

/** A bounded queue before worker threads. */
export type LaneLoad = {
  readonly name: string;
  /** Tasks that run at a time, and that may wait: one more is refused. */
  readonly threads: number;
  readonly queue: number;
  readonly running: number;
  readonly queued: number;
  readonly oldestSeconds: number;
  readonly completed: number;
  readonly rejected: number;
  readonly died: number;
};

/** What an engine does not know is left out. */
export type StoreFacts = {
  readonly engine: string;
  readonly commits: number;
  readonly conflicts: number;
  readonly bytes?: number;
  /** Of `bytes`, what is used again. */
  readonly freeBytes?: number;
  readonly diskFreeBytes?: number;
  readonly readers?: number;
  readonly oldestReaderSeconds?: number;
};

export type BackupFacts = {
  readonly isScheduled: boolean;
  readonly lastAt?: number;
  readonly lastBytes?: number;
  /** Of this process. */
  readonly failures: number;
};

/** `waiting`: it has not run yet; `cut-off`: its process ended meanwhile. */
export type JobOutcome = 'waiting' | 'running' | 'done' | 'failed' | 'cut-off';

/** A job of the whole cluster. */
export type JobState = {
  readonly name: string;
  readonly state: JobOutcome;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** None for jobs that run whenever they have work. */
  readonly nextAt?: number;
  /** The kind of error that ended it, such as `Error ENOSPC`. */
  readonly fault?: string;
};

export type WebhookLoad = {
  readonly lagSeconds: number;
  readonly deadLetters: number;
  readonly delivered: number;
  readonly failed: number;
  readonly givenUp: number;
};

/** What is not as it should be. */
export type Warning = {
  /** Names the check. */
  readonly code: string;
  readonly severity: 'note' | 'warning' | 'problem';
  readonly text: string;
  /** What to do about it. */
  readonly remedy: string;
};

export type Overview = {
  /** By the clock of the machine. */
  readonly at: number;
  readonly process: ProcessFacts;
  readonly requests: RequestLoad;
  readonly lanes: readonly LaneLoad[];
  readonly store: StoreFacts;
  readonly backups: BackupFacts;
  readonly jobs: readonly JobState[];
  readonly auditLagSeconds: number;
  readonly importQueueSeconds: number;
  readonly webhooks: WebhookLoad;
  /** The worst first. */
  readonly warnings: readonly Warning[];
};
