import { byWork, known, lane, type Observation, one, type Sample, type Series, tallied, total } from './observation.ts';

const count = (name: string, help: string, read: Series['read'], ...labels: readonly string[]): Series => ({
  type: 'counter',
  name,
  help,
  labels,
  read,
});
const gauge = (name: string, help: string, read: Series['read'], ...labels: readonly string[]): Series => ({
  type: 'gauge',
  name,
  help,
  labels,
  read,
});

const build = ({ version }: Observation): readonly Sample[] => [{ labels: { version, node: process.versions.node }, value: 1 }];
const isSignIn = (subject: string): boolean => !subject.startsWith('session-');

/** Since when the oldest user of the import queue waits, as an age. */
function importQueueAge({ others }: Observation): readonly Sample[] {
  const since = others.jobs.gauge('importQueueSince');
  return [{ labels: {}, value: since === 0 ? 0 : Math.max(0, Date.now() / 1e3 - since) }];
}

/** What the product does: sign-ins, sessions, jobs, queues, the room of the store, traces. */
export const PRODUCT_SERIES: readonly Series[] = [
  gauge('watchword_build_info', 'Always 1; the labels tell which build runs', build, 'version', 'node'),
  gauge(
    'watchword_clock_timestamp_seconds',
    'The clock of the machine, since the epoch',
    one(() => Date.now() / 1e3),
  ),
  count(
    'watchword_sign_ins_total',
    'Tries to sign in, and codes of a second factor, by method and outcome',
    tallied(isSignIn, (method, outcome) => ({ method, outcome })),
    'method',
    'outcome',
  ),
  count(
    'watchword_sessions_created_total',
    'Sessions created',
    tallied(
      (subject) => subject === 'session-create',
      () => ({}),
    ),
  ),
  count(
    'watchword_session_refreshes_total',
    'Refreshes of sessions by outcome; token_theft_detected: a stolen refresh token',
    tallied(
      (subject) => subject === 'session-refresh',
      (_, outcome) => ({ outcome }),
    ),
    'outcome',
  ),
  gauge('watchword_lane_oldest_seconds', 'For how long the oldest task of a lane has waited', lane('oldestSeconds'), 'lane'),
  gauge('watchword_import_queue_oldest_seconds', 'For how long the oldest user of the import queue has waited', importQueueAge),
  count(
    'watchword_job_runs_total',
    'Pieces of work of jobs that were done',
    byWork(({ byStatus }) => byStatus[0] ?? 0),
    'name',
  ),
  count(
    'watchword_job_failures_total',
    'Pieces of work of jobs that failed',
    byWork(({ byStatus }) => byStatus[3] ?? 0),
    'name',
  ),
  count(
    'watchword_job_seconds_total',
    'Time that jobs took',
    byWork(({ secondsSpent }) => secondsSpent),
    'name',
  ),
  gauge('watchword_store_size_bytes', 'Room of the store, what is free in it included', known('storeBytes')),
  gauge('watchword_store_free_bytes', 'Free pages of the store, which are used again', known('storeFreeBytes')),
  gauge('watchword_store_disk_free_bytes', 'Room on the disk of the store', known('storeDiskFreeBytes')),
  count(
    'watchword_trace_spans_sent_total',
    'Spans that the collector took',
    one(({ spans }) => spans()?.sent ?? 0),
  ),
  count(
    'watchword_trace_spans_lost_total',
    'Spans that the collector refused, or for which it was away too long',
    one(({ spans }) => spans()?.lost ?? 0),
  ),
  count('watchword_traces_skipped_total', 'Traces that were too many in their second', total('tracesSkipped')),
];
