import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { freePort } from '../postgres/server.ts';

const START_LIMIT_MS = 20_000;

/** Whether Debian's package `prometheus` is there; says so where it is not. */
export function hasPrometheus(): boolean {
  try {
    for (const program of ['prometheus', 'promtool']) execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log('Prometheus is not installed: the dashboard and the alerts are not tried with it.');
    return false;
  }
}

/** A value of a series at a moment. */
export interface PointInTime {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

/** A Prometheus on loopback. */
export interface Prometheus {
  /** Asks for an instant vector or a scalar. @throws what Prometheus says is wrong with the expression */
  query(expression: string): Promise<readonly PointInTime[]>;
  /** What became of the rules by name: `ok`, or the error. */
  rules(): Promise<ReadonlyMap<string, string>>;
  stop(): Promise<void>;
}

/** Starts one that scrapes a core each second, and has these rules. */
export async function startPrometheus(core: { readonly port: number }, apiKey: string, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-prometheus-'));
  const port = await freePort();
  const file = join(folder, 'prometheus.yml');
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [
      { job_name: 'watchword', authorization: { credentials: apiKey }, static_configs: [{ targets: [`127.0.0.1:${core.port}`] }] },
    ],
  };
  // JSON is YAML too.
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(
    'prometheus',
    [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'],
    { stdio: 'ignore' },
  );
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const ask = async <T>(path: string): Promise<T> => {
    const answer = (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as { status: string; error?: string; data: T };
    if (answer.status !== 'success') throw new Error(answer.error);
    return answer.data;
  };
  for (const until = performance.now() + START_LIMIT_MS; ; await rest(100)) {
    const ready = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined);
    if (ready?.ok) break;
    if (performance.now() > until) {
      await stop();
      throw new Error('Prometheus did not start');
    }
  }
  return {
    query: async (expression) => {
      const { result } = await ask<{ result: readonly PointInTime[] }>(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return result;
    },
    rules: async () => {
      interface Rule {
        readonly name: string;
        readonly health: string;
        readonly lastError?: string;
      }
      const { groups } = await ask<{ groups: readonly { rules: readonly Rule[] }[] }>('/api/v1/rules');
      return new Map(groups.flatMap((group) => group.rules.map(({ name, health, lastError }) => [name, lastError ?? health])));
    },
    stop,
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
