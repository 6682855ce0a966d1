import { type GaugeName, STATUS_CLASSES, sumRoute } from './counters.ts';
import { byThread, lane, type Observation, ofJobs, ofMain, one, type Sample, type Series, total } from './observation.ts';

const requests = ({ threads, routes }: Observation): readonly Sample[] =>
  routes.flatMap(({ method, path }, position) =>
    sumRoute(threads, position).byStatus.flatMap((value, status) =>
      value === 0 ? [] : [{ labels: { method, path, status: STATUS_CLASSES[status] ?? '' }, value }],
    ),
  );

/** Of all threads. */
export const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Where attempts at webhooks are counted, by what came of them. */
const WEBHOOK_OUTCOMES: Readonly<Record<string, GaugeName>> = {
  delivered: 'webhooksDelivered',
  failed: 'webhooksFailed',
  given_up: 'webhooksGivenUp',
};

/** Computed once: the clock may be set, and a moving start would read as a new process. */
export const STARTED_AT_SECONDS = Date.now() / 1000 - process.uptime();

/** What the process as such does: requests, threads, lanes, store, backups, memory. */
export const SERIES: readonly Series[] = [
  {
    type: 'counter',
    name: 'watchword_http_requests_total',
    help: 'Answers by route and status class',
    labels: ['method', 'path', 'status'],
    read: requests,
  },
  { type: 'gauge', name: 'watchword_http_in_flight', help: 'Requests being answered', labels: ['thread'], read: byThread('inFlight') },
  {
    type: 'counter',
    name: 'watchword_http_thread_restarts_total',
    help: 'HTTP threads that died and were replaced',
    labels: [],
    read: one(({ restarts }) => restarts().http),
  },
  {
    type: 'counter',
    name: 'watchword_jobs_thread_restarts_total',
    help: 'Threads for jobs and imports that died and were replaced',
    labels: [],
    read: one(({ restarts }) => restarts().jobs),
  },
  {
    type: 'gauge',
    name: 'watchword_lane_queued',
    help: 'Tasks waiting in a lane',
    labels: ['lane'],
    read: lane('queued'),
  },
  { type: 'gauge', name: 'watchword_lane_running', help: 'Tasks running in a lane', labels: ['lane'], read: lane('running') },
  {
    type: 'counter',
    name: 'watchword_lane_completed_total',
    help: 'Tasks that a lane finished',
    labels: ['lane'],
    read: lane('completed'),
  },
  {
    type: 'counter',
    name: 'watchword_lane_rejected_total',
    help: 'Tasks refused because a lane was full',
    labels: ['lane'],
    read: lane('rejected'),
  },
  {
    type: 'counter',
    name: 'watchword_lane_died_total',
    help: 'Workers of a lane that died and were replaced',
    labels: ['lane'],
    read: lane('died'),
  },
  {
    type: 'counter',
    name: 'watchword_store_commits_total',
    help: 'Committed transactions of this process',
    labels: [],
    read: total('commits'),
  },
  {
    type: 'counter',
    name: 'watchword_store_conflicts_total',
    help: 'Transactions run again after a conflict',
    labels: [],
    read: total('conflicts'),
  },
  {
    type: 'counter',
    name: 'watchword_store_exclusive_total',
    help: 'Transactions that had to run alone',
    labels: [],
    read: total('exclusive'),
  },
  {
    type: 'gauge',
    name: 'watchword_store_readers',
    help: 'Snapshots of the store that are being read, of all processes',
    labels: [],
    read: ofMain('readers'),
  },
  {
    type: 'gauge',
    name: 'watchword_store_oldest_reader_commits',
    help: 'Commits since the oldest snapshot that is being read',
    labels: [],
    read: ofMain('oldestReaderCommits'),
  },
  {
    type: 'gauge',
    name: 'watchword_store_oldest_reader_seconds',
    help: 'Time for which the oldest snapshot that is being read has not been the newest',
    labels: [],
    read: ofMain('oldestReaderSeconds'),
  },
  {
    type: 'gauge',
    name: 'watchword_event_loop_delay_mean_seconds',
    help: 'Mean event-loop delay of the last second',
    labels: ['thread'],
    read: byThread('loopDelayMean'),
  },
  {
    type: 'gauge',
    name: 'watchword_event_loop_delay_p99_seconds',
    help: '99th percentile of the event-loop delay of the last second',
    labels: ['thread'],
    read: byThread('loopDelayP99'),
  },
  {
    type: 'gauge',
    name: 'watchword_event_loop_delay_max_seconds',
    help: 'Longest event-loop delay of the last second',
    labels: ['thread'],
    read: byThread('loopDelayMax'),
  },
  { type: 'gauge', name: 'watchword_heap_used_bytes', help: 'Used JavaScript heap', labels: ['thread'], read: byThread('heapUsedBytes') },
  {
    type: 'gauge',
    name: 'watchword_backup_last_success_timestamp_seconds',
    help: 'When the last backup on the schedule was finished, since the epoch',
    labels: [],
    read: ofJobs('backupAt'),
  },
  {
    type: 'gauge',
    name: 'watchword_backup_last_success_size_bytes',
    help: 'Size of the last backup on the schedule',
    labels: [],
    read: ofJobs('backupBytes'),
  },
  {
    type: 'counter',
    name: 'watchword_backup_failures_total',
    help: 'Backups on the schedule that failed',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('backupFailures')),
  },
  {
    type: 'gauge',
    name: 'watchword_audit_lag_seconds',
    help: 'How long the oldest event of the audit trail has waited to be sealed',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('auditLag')),
  },
  {
    type: 'gauge',
    name: 'watchword_webhook_lag_seconds',
    help: 'Age of the oldest event that waits for a webhook, where this process delivers',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('webhookLagSeconds')),
  },
  {
    type: 'gauge',
    name: 'watchword_webhook_dead_letters',
    help: 'Messages to webhooks that were given up and are kept',
    labels: [],
    read: one(({ others }) => others.jobs.gauge('webhookDeadLetters')),
  },
  {
    type: 'counter',
    name: 'watchword_webhook_attempts_total',
    help: 'Attempts to deliver to webhooks, by what came of them',
    labels: ['outcome'],
    read: ({ others }) =>
      Object.entries(WEBHOOK_OUTCOMES).map(([outcome, gauge]) => ({ labels: { outcome }, value: others.jobs.gauge(gauge) })),
  },
  {
    type: 'counter',
    name: 'watchword_major_page_faults_total',
    help: 'Page faults that waited for the disk',
    labels: [],
    read: one(() => process.resourceUsage().majorPageFault),
  },
  {
    type: 'gauge',
    name: 'process_resident_memory_bytes',
    help: 'Resident memory, mapped store pages included',
    labels: [],
    read: one(() => process.memoryUsage.rss()),
  },
  { type: 'counter', name: 'process_cpu_seconds_total', help: 'Processor time spent', labels: [], read: one(cpuSeconds) },
  {
    type: 'gauge',
    name: 'process_start_time_seconds',
    help: 'Start of the process since the epoch',
    labels: [],
    read: one(() => STARTED_AT_SECONDS),
  },
];
