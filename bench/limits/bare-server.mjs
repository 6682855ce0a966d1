// Bare uWebSockets.js servers to compare with: threads that share a loopback port and answer the bodies of POSTs, nothing else.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import uws from 'uWebSockets.js';
import { answerOnce, built } from '../core.mjs';

/** Starts the threads: a job -> `{ port }`. Each is told the job, what `prepare` adds to it, and the port. */
async function startThreads(url, job, prepare) {
  // A thread with an open app must not end by itself.
  process.removeAllListeners('SIGTERM').once('SIGTERM', () => process.kill(process.pid, 'SIGKILL'));
  const { freePort } = await built('http/probe-port.js');
  // The library shares only ports that are named.
  const port = await freePort('127.0.0.1');
  const plan = { ...job, ...(await prepare(job)), port };
  const listening = Array.from({ length: job.threads }, () => {
    const worker = new Worker(new URL(url), { workerData: plan });
    return new Promise((done, failed) => {
      worker.once('message', done);
      worker.once('error', failed);
    });
  });
  await Promise.all(listening);
  return { port };
}

function serve(port, answer) {
  uws
    .App()
    .post('/*', (response) => {
      let gone = false;
      response.onAborted(() => {
        gone = true;
      });
      response.onData((chunk) => {
        void answer(Buffer.from(chunk)).then((json) => {
          if (!gone) response.cork(() => response.writeHeader('content-type', 'application/json;charset=UTF-8').end(json));
        });
      });
    })
    .listen('127.0.0.1', port, (socket) => {
      if (!socket) throw new Error('cannot listen');
      parentPort.postMessage('listening');
    });
}

/**
 * The whole program of such a server: `{ threads, … }` -> `{ port }`.
 * @param {string} url `import.meta.url` of the caller, which is also what the threads run
 * @param {(plan: object) => Promise<(body: Buffer) => Promise<string>>} open makes what answers a body, in each thread
 * @param {(job: object) => Promise<object>} prepare what all threads are told besides
 */
export async function bareServer(url, open, prepare = async () => ({})) {
  if (isMainThread) answerOnce((job) => startThreads(url, job, prepare));
  else serve(workerData.port, await open(workerData));
}
