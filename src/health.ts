import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { listensAt } from './config/config.ts';
import { environment } from './config/environment.ts';
import { listenAddress } from './http/probe-port.ts';

/*
 * `node dist/src/health.js [PID]`, the container's health check: ends with 0 when its core (or the one of this id)
 * answers `/livez`, else with 1 and a line on standard error. The core's own flags, environment and file lead to it.
 */

const PROGRAM = /\/(?:cli|main)\.js$/;
const PATIENCE_MS = 2500;
/** Where a core listens on every address, it is asked at this one. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The command line of a core, from the word behind its program on; undefined for any other process. */
function argumentsOf(pid: string): string[] | undefined {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const program = words.findIndex((word) => PROGRAM.test(word));
  if (program < 0) return undefined;
  const argv = words.slice(program + 1);
  return argv[0] === 'start' ? argv.slice(1) : argv;
}

/** The first core among all processes; mostly that is number 1. */
function findCore(): string {
  const numbers = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
  const core = numbers.toSorted((a, b) => Number(a) - Number(b)).find((pid) => argumentsOf(pid) !== undefined);
  if (core === undefined) throw new Error('no core runs here');
  return core;
}

async function check(pid: string): Promise<void> {
  const argv = argumentsOf(pid);
  if (!argv) throw new Error(`process ${pid} is no core`);
  const place = listensAt({ argv, env: environment(), cwd: readlinkSync(`/proc/${pid}/cwd`) });
  const address = listenAddress(place.host);
  const host = LOOPBACK[address] ?? address;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${place.port}/livez`;
  const { status } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (status !== 200) throw new Error(`${url} answers ${status}`);
}

try {
  await check(process.argv[2] ?? findCore());
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  process.stderr.write(`not healthy: ${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
}
