import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PRODUCT_SERIES } from '../../src/observe/product-series.ts';
import { SERIES } from '../../src/observe/series.ts';
import { PROJECT_ROOT } from '../running-core.ts';
import { alerts, metricsIn, queries } from './dashboard.ts';

test('every series is on the dashboard or in an alert, but for those that say the same again', () => {
  const shown = new Set([...queries.map(([, query]) => query), ...alerts.map(({ expr }) => expr)].flatMap(metricsIn));
  const missing = [...SERIES, ...PRODUCT_SERIES].map(({ name }) => name).filter((name) => !shown.has(name));
  expect(missing.toSorted()).toEqual([
    'watchword_backup_last_success_size_bytes',
    'watchword_event_loop_delay_max_seconds',
    'watchword_event_loop_delay_mean_seconds',
    'watchword_lane_running',
    'watchword_store_oldest_reader_commits',
  ]);
});

test('panels and alerts read series that there are', () => {
  const known = new Set([...[...SERIES, ...PRODUCT_SERIES].map(({ name }) => name), 'watchword_http_request_seconds_bucket']);
  for (const [, query] of queries) for (const name of metricsIn(query)) expect(known).toContain(name);
  for (const { expr } of alerts) for (const name of metricsIn(expr)) expect(known).toContain(name);
});

test('every alert has a line in the runbook, and every line an alert', () => {
  const headings = readFileSync(join(PROJECT_ROOT, 'docs', 'observability.md'), 'utf8').match(/^### Watchword\w+$/gm) ?? [];
  expect(headings).toEqual(alerts.map(({ alert }) => `### ${alert}`));
  for (const { alert, annotations } of alerts) expect(annotations.runbook).toBe(`docs/observability.md#${alert.toLowerCase()}`);
});
