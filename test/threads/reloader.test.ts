import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoadedConfig, loadConfig } from '../../src/config/config.ts';
import type { LogOptions, OpenLog } from '../../src/observe/log.ts';
import { Reloader } from '../../src/threads/reloader.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reloader-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (text: string): void => writeFileSync(join(folder, 'config.yaml'), text);

/** A reloader whose threads take over what `settle` lets them. */
function reloaderOf(apply: (loaded: LoadedConfig) => Promise<void>, reopen: (options: LogOptions) => void = () => {}) {
  write('');
  const sources = { argv: ['--config', 'config.yaml'], env: {}, cwd: folder };
  const told: string[] = [];
  const keep = (...words: unknown[]): void => void told.push(String(words.at(-1)));
  const log: OpenLog = { debug: keep, info: keep, warn: keep, error: keep, reopen };
  return { reloader: new Reloader({ loaded: loadConfig(sources), sources, log, apply }), told };
}

describe('a reload', () => {
  test('gives every thread the new configuration, and new threads start with it', async () => {
    const given: unknown[] = [];
    const opened: unknown[] = [];
    const { reloader, told } = reloaderOf(
      async ({ config }) => void given.push(config.log_level),
      ({ level }) => opened.push(level),
    );
    write('log_level: WARN\nport: 1\n');
    expect(await reloader.reload()).toEqual({ status: 'OK', changed: ['log_level'], needsRestart: ['port'] });
    expect([given, opened, reloader.loaded.config.log_level]).toEqual([['WARN'], ['WARN'], 'WARN']);
    expect(told).toEqual(['these options have new values, which need a restart', 'the configuration was reloaded']);
  });

  test('that is refused changes nothing, until one is not', async () => {
    const given: unknown[] = [];
    const { reloader, told } = reloaderOf(async ({ config }) => void given.push(config.log_level));
    const before = reloader.loaded;
    write('log_level: LOUD\nprot: 1\n');
    expect(await reloader.reload()).toEqual({
      status: 'INVALID_CONFIG_ERROR',
      faults: [expect.stringContaining("'log_level'"), expect.stringContaining('prot')],
    });
    expect([given, reloader.loaded, reloader.wasRefused]).toEqual([[], before, true]);
    expect(told).toEqual(['the reload was refused, the configuration stays as it was']);
    write('log_level: WARN\n');
    expect((await reloader.reload()).status).toBe('OK');
    expect([given, reloader.wasRefused]).toEqual([['WARN'], false]);
  });

  test('whose log cannot be opened is refused too', async () => {
    const { reloader } = reloaderOf(
      () => Promise.reject(new Error('nothing may be applied')),
      () => {
        throw new Error('EACCES: permission denied');
      },
    );
    expect(await reloader.reload()).toEqual({
      status: 'INVALID_CONFIG_ERROR',
      faults: ['The log cannot be opened: EACCES: permission denied'],
    });
    expect(reloader.wasRefused).toBe(true);
  });

  test('waits for the one before it, also when that failed; those who wait have one together', async () => {
    const settled: string[] = [];
    const releases: ((error?: Error) => void)[] = [];
    const { reloader } = reloaderOf(
      ({ config }) =>
        new Promise((resolve, reject) => {
          settled.push(`applied ${config.access_token_validity}`);
          releases.push((error) => (error ? reject(error) : resolve()));
        }),
    );
    write('access_token_validity: 10\n');
    const first = reloader.reload();
    const second = reloader.reload();
    const third = reloader.reload();
    await expect.poll(() => settled).toEqual(['applied 10']);
    write('access_token_validity: 20\n');
    releases[0]?.(new Error('a bug'));
    await expect(first).rejects.toThrow('a bug');
    await expect.poll(() => settled).toEqual(['applied 10', 'applied 20']);
    releases[1]?.();
    expect(await second).toMatchObject({ status: 'OK', changed: ['access_token_validity'] });
    expect(await third).toBe(await second);
    const last = reloader.reload();
    await expect.poll(() => settled).toEqual(['applied 10', 'applied 20', 'applied 20']);
    releases[2]?.();
    expect(await last).toMatchObject({ status: 'OK', changed: [] });
  });
});
