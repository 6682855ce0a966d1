import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { HttpFront } from '../../src/threads/http-front.ts';
import type { Log } from '../../src/observe/log.ts';

type Life = 'serves' | 'dies after listening' | 'cannot listen' | 'dies at once';

const PATIENCE_MS = 20_000;
const script = new URL('short-lived-thread.mjs', import.meta.url);

/** A front whose n-th started thread lives the n-th life; later ones serve. */
function frontOf(threads: number, lives: readonly Life[], port = 0, sharesPort = true) {
  const started: number[] = [];
  const times: number[] = [];
  const errors: string[] = [];
  const ignore = (): void => {};
  const log: Log = { debug: ignore, info: ignore, warn: ignore, error: (...words: unknown[]) => errors.push(String(words.at(-1))) };
  const spawn = (index: number): Worker => {
    const life = lives[started.length] ?? 'serves';
    started.push(index);
    times.push(performance.now());
    return new Worker(script, { workerData: { life, sharesPort } });
  };
  const front = new HttpFront({
    threads: Array.from({ length: threads }, (_, index) => ({ name: `http-${index}`, spawn: () => spawn(index), onNews: ignore })),
    port,
    log,
  });
  return { front, started, times, errors };
}

describe('the HTTP threads', () => {
  it('all use the port that the first one found', async () => {
    const { front, started } = frontOf(3, []);
    expect(await front.listen()).toBe(4567);
    expect(started).toEqual([0, 1, 2]);
    await front.stop();
    expect(front.restarts).toBe(0);
  });

  it('are one where the engine cannot share a port', async () => {
    const { front, started } = frontOf(3, [], 0, false);
    expect(await front.listen()).toBe(4567);
    await front.stop();
    expect(started).toHaveLength(3);
    expect(front.restarts).toBe(0);
  });

  it('are replaced when they die, and counted', async () => {
    const { front, started, errors } = frontOf(2, ['serves', 'dies after listening'], 80);
    await front.listen();
    await vi.waitFor(() => expect(started).toHaveLength(3), PATIENCE_MS);
    expect(started[2]).toBe(1);
    expect(front.restarts).toBe(1);
    expect(errors).toEqual(['a thread ended, starting another']);
    await front.stop();
  });

  it('come back more slowly the more often they die at once', async () => {
    const { front, started, times } = frontOf(1, ['dies after listening', 'dies at once', 'dies at once'], 80);
    await front.listen();
    await vi.waitFor(() => expect(started).toHaveLength(4), PATIENCE_MS);
    expect(front.restarts).toBe(3);
    const [first = 0, second = 0, third = 0, fourth = 0] = times;
    // Taken at the starts themselves, and only from below: a busy machine makes waits longer, never shorter.
    expect(second - first).toBeGreaterThan(95);
    expect(third - second).toBeGreaterThan(195);
    expect(fourth - third).toBeGreaterThan(395);
    await front.stop();
  });

  it('that cannot listen at the start make the start fail, with the reason', async () => {
    const { front, started } = frontOf(1, ['cannot listen']);
    await expect(front.listen()).rejects.toThrow('the port is taken');
    await front.stop();
    expect(started).toHaveLength(1);
  });

  it('are not replaced while stopping', async () => {
    const { front, started } = frontOf(2, [], 80);
    await front.listen();
    await front.stop();
    expect(started).toHaveLength(2);
    expect(front.restarts).toBe(0);
  });
});
