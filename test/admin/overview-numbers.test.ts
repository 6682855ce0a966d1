import { describe, expect, test } from 'vitest';
import { heard, newest, NO_NODES, type Nodes, type Overview, shown } from '../../admin/pages/overview/nodes.ts';
import { busiestBetween, loadBetween, percentile } from '../../admin/pages/overview/rates.ts';

const START = Date.UTC(2026, 10, 22);
const SECOND_MS = 1_000;

type Route = Overview['requests']['routes'][number];

const route = (path: string, answers: number, faults: number, ...byLatency: readonly number[]): Route => ({
  method: 'GET',
  path,
  byStatus: [answers, 0, 0, faults],
  byLatency: [...byLatency],
  seconds: 0,
});

/** What a process says after so many seconds. */
function said(id: string, seconds: number, routes: readonly Route[] = [], startedAt = START, host = id): Overview {
  return {
    at: startedAt + seconds * SECOND_MS,
    process: {
      id,
      host,
      pid: 7,
      version: '1',
      nodeVersion: '22',
      httpThreads: 1,
      startedAt,
      uptimeSeconds: seconds,
      residentBytes: 1,
      cpuSeconds: seconds / 2,
    },
    requests: { boundsSeconds: [0.001, 0.01], routes: [...routes], inFlight: 0, eventLoopDelayP99Seconds: 0 },
    status: 'OK',
    lanes: [],
    store: { engine: 'lmdb', commits: 0, conflicts: 0 },
    backups: { isScheduled: false, failures: 0 },
    jobs: [],
    auditLagSeconds: 0,
    importQueueSeconds: 0,
    webhooks: { lagSeconds: 0, deadLetters: 0, delivered: 0, failed: 0, givenUp: 0 },
    warnings: [],
  };
}

const play = (...answers: readonly (readonly [Overview, number])[]): Nodes =>
  answers.reduce((nodes, [overview, now]) => heard(nodes, overview, now), NO_NODES);

const uptimesOf = (nodes: Nodes): readonly number[] =>
  nodes.heard.get(nodes.shown)?.samples.map(({ process }) => process.uptimeSeconds) ?? [];

describe('the nodes that answer', () => {
  test('samples of a process, the same answer once, and two minutes of them', () => {
    const nodes = play(...[1, 3, 3, 60, 122].map((seconds) => [said('a', seconds), seconds * SECOND_MS] as const));
    expect(uptimesOf(nodes)).toEqual([3, 60, 122]);
    expect(nodes.restartedAt).toBeUndefined();
  });

  test('one that takes the place of another is told as a restart', () => {
    const again = START + 60 * SECOND_MS;
    const nodes = play([said('a', 50, [], START, 'host'), 50_000], [said('b', 1, [], again, 'host'), 61_000]);
    expect([...nodes.heard.keys()]).toEqual(['b']);
    expect(nodes).toMatchObject({ shown: 'b', restartedAt: again });
  });

  test('two that answer in turn, on one host too: the first stays until another is chosen or it is silent', () => {
    const turns = [2, 4, 6].flatMap((at) => [
      [said('a', at, [], START, 'host'), at * SECOND_MS] as const,
      [said('b', at + 1, [], START, 'host'), (at + 1) * SECOND_MS] as const,
    ]);
    const nodes = play(...turns);
    expect(nodes.shown).toBe('a');
    expect(uptimesOf(nodes)).toEqual([2, 4, 6]);
    expect(uptimesOf(shown(nodes, 'b'))).toEqual([3, 5, 7]);
    const silent = heard(nodes, said('b', 60, [], START, 'host'), 60_000);
    expect([silent.shown, silent.heard.size]).toEqual(['b', 1]);
  });

  test('the newest is the last', () => {
    const node = play([said('a', 1), 0], [said('a', 3), 2_000]).heard.get('a');
    expect(node && newest(node).process.uptimeSeconds).toBe(3);
  });
});

describe('what is counted between two answers', () => {
  const from = said('a', 10, [route('/x', 100, 0, 100, 0, 0)]);
  const to = said('a', 12, [route('/x', 120, 0, 110, 10, 0), route('/y', 38, 2, 0, 0, 40), route('/manage/v1/overview', 5, 0, 5, 0, 0)]);

  test('a second, faults and percentiles; the page leaves its own questions out', () => {
    expect(loadBetween(from, to)).toEqual({
      perSecond: 30,
      errorsPerSecond: 1,
      p50: Number.POSITIVE_INFINITY,
      p99: Number.POSITIVE_INFINITY,
    });
    expect(busiestBetween(from, to, 2).map(({ name, perSecond }) => [name, perSecond])).toEqual([
      ['GET /y', 20],
      ['GET /x', 10],
    ]);
    expect(busiestBetween(from, to, 1)).toHaveLength(1);
  });

  test('nothing where no time lies between them', () => {
    expect(loadBetween(to, to)).toBeUndefined();
    expect(busiestBetween(to, to, 3)).toEqual([]);
  });

  test('percentiles lie within their class', () => {
    expect(percentile([10, 10, 0], [0.001, 0.01], 0.5)).toBeCloseTo(0.001, 6);
    expect(percentile([10, 10, 0], [0.001, 0.01], 0.75)).toBeCloseTo(0.0055, 6);
    expect(percentile([0, 0, 0], [0.001, 0.01], 0.5)).toBeUndefined();
    expect(percentile([0, 0, 1], [0.001, 0.01], 0.5)).toBe(Number.POSITIVE_INFINITY);
  });
});
