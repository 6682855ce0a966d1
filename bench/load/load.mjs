// Replays prepared requests as fast as the other side answers: with wrk where it is installed, else with our own generator.
import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { askOnce, track } from '../core.mjs';
import { exchangeOnce } from './connection.mjs';

const SCRIPT = resolve(import.meta.dirname, 'replay.lua');
const ONCE_LIMIT_S = 120;

/** The generator that is used for replays. */
export const GENERATOR =
  spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'own generator (wrk is not installed; it costs more of the machine)';
const WRK = GENERATOR === 'wrk';

/**
 * Sends the requests of a file again and again.
 * @param {{ port: number, file: string, connections: number, seconds: number, answerBytes: number }} job
 *   `answerBytes`: size of one right answer with its head; answers of another size are a failure of the measurement
 * @returns {Promise<{ perSecond: number }>}
 */
export async function replay({ port, file, connections, seconds, answerBytes }) {
  const result = WRK
    ? await wrk({ port, file, connections, seconds, mode: 'cycle' })
    : await askOnce('load/generator.mjs', { kind: 'replay', port, file, connections, seconds });
  const mean = result.bytes / result.requests;
  if (result.failed > 0 || result.requests === 0) throw new Error(`${result.failed} of ${result.requests} requests failed`);
  if (Math.abs(mean - answerBytes) > answerBytes * 0.02) throw new Error(`answers of ${mean} bytes, expected ${answerBytes}`);
  return { perSecond: result.requests / result.seconds };
}

/**
 * Sends each request of a file once, and checks that each answer's status is OK.
 * @param {{ port: number, file: string, connections: number }} job
 * @returns {Promise<{ perSecond: number, requests: number }>}
 */
export async function replayOnce({ port, file, connections }) {
  if (!WRK) return await askOnce('load/generator.mjs', { kind: 'replayOnce', port, file, connections });
  const result = await wrk({ port, file, connections, seconds: ONCE_LIMIT_S, mode: 'once' });
  if (result.failed > 0 || result.onceRefused > 0) throw new Error(`${result.failed + result.onceRefused} requests failed`);
  if (result.onceSeconds === 0) throw new Error(`not all requests were answered within ${ONCE_LIMIT_S} s`);
  return { perSecond: result.onceAnswered / result.onceSeconds, requests: result.onceAnswered };
}

async function wrk({ port, file, connections, seconds, mode }) {
  const options = [
    '-t',
    '1',
    '-c',
    String(connections),
    '-d',
    `${Math.max(1, Math.round(seconds))}s`,
    '-s',
    SCRIPT,
    `http://127.0.0.1:${port}/`,
    '--',
    file,
    mode,
  ];
  const child = track(spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] }));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    // Its thread has stopped, but wrk sleeps on until its time is over or it is interrupted.
    if (text.includes('finished\n')) child.kill('SIGINT');
  });
  await new Promise((done) => child.once('close', done));
  const line = text.split('\n').find((candidate) => candidate.startsWith('{'));
  if (!line) throw new Error(`wrk told nothing: ${text}`);
  const result = JSON.parse(line);
  return { ...result, seconds: result.microseconds / 1e6 };
}

/** One answer to compare with: sends a request and refuses any answer that is not HTTP 200 with status OK. */
export async function sample(port, bytes) {
  const answer = await exchangeOnce(port, bytes);
  if (answer.status !== 200 || !answer.body.includes('"status":"OK"'))
    throw new Error(`unexpected answer ${answer.status}: ${answer.body}`);
  return answer;
}
