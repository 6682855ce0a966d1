// Starts and ends the programs that a bench needs: the built core, and children of our own. Everything is ended by its pid.
import { fork, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Connection } from './load/connection.mjs';
import { get } from './load/requests.mjs';

export const ROOT = resolve(import.meta.dirname, '..');
/** A module of the build under `dist/src`. */
export const built = (path) => import(resolve(ROOT, 'dist/src', path));
const MAIN = resolve(ROOT, 'dist/src/main.js');
/** How `npm start` starts Node. */
export const AS_STARTED = ['--single-threaded-gc', '--require', resolve(ROOT, 'scripts/thread-pool.cjs')];
const READY = /Started Watchword on (\S+):(\d+) with PID: (\d+)/;
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 15_000;

/** Children that still run; they end with this process, whatever ends it. */
const running = new Set();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** Remembers a child until it has ended. */
export function track(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Asks a child to end and waits for it; after 15 s it is killed. */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

/** Only what a process needs to run: options in the caller's environment must not change what is measured. */
function bareEnvironment(extra) {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].filter((name) => process.env[name] !== undefined);
  return { ...Object.fromEntries(kept.map((name) => [name, process.env[name]])), NODE_ENV: 'production', ...extra };
}

/**
 * A running core on a free loopback port.
 * @typedef {{ port: number, pid: number, readyMs: number, helloMs: number, stop: () => Promise<void> }} Core
 * `readyMs` and `helloMs`: milliseconds from before the process was started to its ready line and to the first answered `/hello`.
 */

/**
 * Starts the built core and waits until it answers `/hello`.
 * @param {{ dataDir: string, httpThreads?: number, env?: Record<string, string>, group?: string }} options without `httpThreads`: the default of the
 *   product; `group`: the file that takes the process into a control group
 * @returns {Promise<Core>}
 */
export async function startCore({ dataDir, httpThreads, env = {}, group }) {
  if (!existsSync(MAIN)) throw new Error('the core is not built: run `npm run build` first');
  const options = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
  if (httpThreads !== undefined) options.push('--http-threads', String(httpThreads));
  const before = performance.now();
  const command = [process.execPath, ...AS_STARTED, MAIN, ...options];
  const [program, ...args] = group === undefined ? command : ['sh', '-c', 'echo $$ > "$0" && exec "$@"', group, ...command];
  const child = track(spawn(program, args, { env: bareEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] }));
  try {
    const ready = await readyLine(child);
    const readyMs = performance.now() - before;
    const connection = await Connection.open(ready.port);
    const hello = await connection.exchange(get('/hello'));
    const helloMs = performance.now() - before;
    connection.close();
    if (hello.status !== 200) throw new Error(`the core answered /hello with ${hello.status}`);
    return { ...ready, readyMs, helloMs, stop: () => end(child) };
  } catch (error) {
    await end(child);
    throw error;
  }
}

function readyLine(child) {
  return new Promise((done, failed) => {
    let text = '';
    const timer = setTimeout(
      () => failed(new Error(`the core did not start within ${START_LIMIT_MS} ms: ${text.slice(-2000)}`)),
      START_LIMIT_MS,
    );
    const read = (chunk) => {
      text = (text + chunk).slice(-16_384);
      const match = READY.exec(text);
      if (!match) return;
      clearTimeout(timer);
      done({ port: Number(match[2]), pid: Number(match[3]) });
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      failed(new Error(`the core ended with ${code}: ${text.slice(-2000)}`));
    });
  });
}

/** Anonymous resident memory of a process in MB (10^6 bytes), from Linux' `RssAnon`. */
export function anonymousMegabytes(pid) {
  const match = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!match) throw new Error('this system does not tell RssAnon');
  return (Number(match[1]) * 1024) / 1e6;
}

/** Ticks of `utime` and `stime` a second, fixed on Linux. */
const TICKS_PER_SECOND = 100;

function processorSeconds(pid) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** How much of one processor a process used while `work` ran (1 = all of it), with what `work` resolved with. */
export async function busyDuring(pid, work) {
  const before = { used: processorSeconds(pid), at: performance.now() };
  const value = await work();
  return { value, busy: (processorSeconds(pid) - before.used) / ((performance.now() - before.at) / 1000) };
}

/** Runs a module of ours in a process of its own: it gets one message and answers with one. `stop` ends it when it stays. @param execArgv flags of Node */
export function ask(module, message, execArgv = []) {
  const options = { env: bareEnvironment({}), stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv };
  const child = track(fork(resolve(ROOT, 'bench', module), options));
  const answer = new Promise((done, failed) => {
    child.once('message', (value) => (value.error === undefined ? done(value) : failed(new Error(`${module}: ${value.error}`))));
    child.once('exit', (code) => failed(new Error(`${module} ended with ${code} before it answered`)));
  });
  child.send(message);
  return { answer, pid: child.pid, stop: () => end(child) };
}

/** `ask` for a module that ends by itself when it has answered. */
export async function askOnce(module, message) {
  const { answer, stop } = ask(module, message);
  try {
    return await answer;
  } finally {
    await stop();
  }
}

/** The other end of `ask`: answers the one message with what `work` resolves with. */
export function answerOnce(work) {
  process.once('message', async (message) => {
    try {
      process.send(await work(message));
    } catch (error) {
      process.send({ error: error.stack });
    }
  });
}
