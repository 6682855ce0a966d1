import { describe, expect, it } from 'vitest';
import { COUNTED_ROWS } from '../../src/http/counted-rows.ts';
import { Counters, MOST_ROWS, sumRoute } from '../../src/observe/counters.ts';
import { Metrics } from '../../src/observe/metrics.ts';

const ROUTES = [
  { method: 'GET', path: '/hello' },
  { method: 'POST', path: '/recipe/session' },
];
const counters = (): Counters => new Counters(Counters.allocate());
const NO_LANE = { queued: 0, oldestSeconds: 0, running: 0, completed: 0, rejected: 0, died: 0 };

describe('counters', () => {
  it('add up over threads by route, status class and latency', () => {
    const [first, second] = [counters(), counters()];
    first.add(0, 200, 90);
    first.add(0, 404, 100);
    second.add(0, 503, 6_000_000);
    second.add(1, 200, 101);
    const hello = sumRoute([first, second], 0);
    expect(hello.byStatus).toEqual([1, 0, 1, 1]);
    expect(hello.byLatency[0]).toBe(2);
    expect(hello.byLatency.at(-1)).toBe(1);
    expect(hello.secondsSpent).toBeCloseTo(6.00019, 5);
    expect(sumRoute([first, second], 1).byLatency[1]).toBe(1);
  });

  it('go on in the memory that a dead thread left', () => {
    const memory = Counters.allocate();
    new Counters(memory).add(0, 200, 1);
    new Counters(memory).add(0, 200, 1);
    expect(new Counters(memory).route(0).byStatus[0]).toBe(2);
  });

  it('have room for every row of the product', () => {
    expect(COUNTED_ROWS.length).toBeLessThanOrEqual(MOST_ROWS);
    expect(new Set(COUNTED_ROWS.map(({ method, path }) => `${method} ${path}`)).size).toBe(COUNTED_ROWS.length);
  });

  it('keep gauges beside the rows', () => {
    const one = counters();
    one.setGauge('commits', 5);
    one.add(1, 200, 1);
    expect(one.gauge('commits')).toBe(5);
    expect(one.gauge('conflicts')).toBe(0);
  });
});

describe('the text of the metrics', () => {
  const [main, jobs, http] = [counters(), counters(), counters()];
  http.add(0, 200, 300);
  http.add(0, 200, 700);
  http.setGauge('commits', 3);
  main.setGauge('commits', 4);
  jobs.setGauge('commits', 2);
  jobs.setGauge('loopDelayP99', 0.5);
  http.setGauge('loopDelayP99', 0.25);
  const other = counters();
  http.setGauge('signCompleted', 5);
  other.setGauge('signCompleted', 6);
  other.setGauge('signQueued', 2);
  other.setGauge('signRejected', 1);
  const metrics = new Metrics({
    version: '1.2.3',
    routes: ROUTES,
    threads: [http, other],
    others: { main, jobs },
    lanes: async () => ({ hash: { ...NO_LANE, queued: 9 } }),
    tallies: [
      { subject: 'password', outcome: 'wrong_credentials' },
      { subject: 'session-create', outcome: 'ok' },
    ],
    works: ['purge'],
    spans: () => ({ sent: 3, lost: 1 }),
    restarts: () => ({ http: 2, jobs: 3 }),
  });

  it('has no line of a gauge that never said anything', async () => {
    expect(await metrics.text()).not.toMatch(/^watchword_backup_last_success_timestamp_seconds /m);
    jobs.setGauge('backupAt', 1.5);
    expect(await metrics.text()).toMatch(/^watchword_backup_last_success_timestamp_seconds 1\.5$/m);
  });

  it('is read anew at every scrape', async () => {
    const text = await metrics.text();
    expect(text).toContain('watchword_http_requests_total{method="GET",path="/hello",status="2xx"} 2\n');
    expect(text).toContain('watchword_http_request_seconds_bucket{method="GET",path="/hello",le="0.0005"} 1\n');
    expect(text).toContain('watchword_http_request_seconds_bucket{method="GET",path="/hello",le="+Inf"} 2\n');
    expect(text).toContain('watchword_http_request_seconds_count{method="GET",path="/hello"} 2\n');
    expect(text).not.toContain('/recipe/session');
    http.add(0, 200, 300);
    expect(await metrics.text()).toContain('watchword_http_requests_total{method="GET",path="/hello",status="2xx"} 3\n');
  });

  it('names lanes, threads and the store', async () => {
    const text = await metrics.text();
    expect(text).toContain('watchword_lane_queued{lane="hash"} 9\n');
    expect(text).toContain('watchword_lane_queued{lane="sign"} 2\n');
    expect(text).toContain('watchword_lane_completed_total{lane="sign"} 11\n');
    expect(text).toContain('watchword_lane_rejected_total{lane="sign"} 1\n');
    expect(text).toContain('watchword_lane_died_total{lane="sign"} 0\n');
    expect(text).toContain('watchword_store_commits_total 9\n');
    expect(text).toContain('watchword_event_loop_delay_p99_seconds{thread="http-0"} 0.25\n');
    expect(text).toContain('watchword_event_loop_delay_p99_seconds{thread="jobs"} 0.5\n');
    expect(text).toContain('watchword_http_thread_restarts_total 2\n');
    expect(text).toContain('watchword_jobs_thread_restarts_total 3\n');
    expect(text).toMatch(/process_resident_memory_bytes [1-9]/);
    expect(text).toMatch(/watchword_major_page_faults_total [0-9]/);
  });

  it('has a type line for each series and no line that is no sample', async () => {
    const lines = (await metrics.text()).split('\n').filter((line) => line !== '');
    for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) [a-z0-9_]+ .+|[a-z0-9_]+(\{[^}]*\})? [0-9.e+-]+)$/);
  });
});
