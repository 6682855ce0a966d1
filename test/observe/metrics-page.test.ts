import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LATENCIES } from '../../src/observe/metrics.ts';
import { PRODUCT_SERIES } from '../../src/observe/product-series.ts';
import { SERIES } from '../../src/observe/series.ts';
import { PROJECT_ROOT } from '../running-core.ts';

const PAGE = readFileSync(join(PROJECT_ROOT, 'docs', 'observability.md'), 'utf8');
const ROW = /^\| `([a-z0-9_]+)` \| (counter|gauge|histogram) \|([^|]*)\| [^|]+ \|$/gm;

/** The rows of the table of metrics. */
const documented = [...PAGE.matchAll(ROW)].map(([, name, type, labels]) => ({
  name,
  type,
  labels: [...(labels ?? '').matchAll(/`([a-z]+)`/g)].map(([, label]) => label),
}));

test('docs/observability.md tells of every series with its labels, and of no other', () => {
  const served = [
    ...[...SERIES, ...PRODUCT_SERIES].map(({ name, type, labels }) => ({ name, type, labels: [...labels] })),
    { name: LATENCIES.name, type: 'histogram', labels: ['method', 'path'] },
  ];
  const byName = (one: { name: string | undefined }, other: { name: string | undefined }): number =>
    (one.name ?? '') < (other.name ?? '') ? -1 : 1;
  expect(documented.toSorted(byName)).toEqual(served.toSorted(byName));
});

test('names and units are those that Prometheus asks for', () => {
  for (const { name, type } of [...SERIES, ...PRODUCT_SERIES]) {
    expect(name).toMatch(/^(?:watchword|process)_[a-z0-9_]+$/);
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
    expect(name).not.toMatch(/_(?:ms|milliseconds|minutes|kb|mb|mib|percent)(?:_|$)/);
  }
});
