// Durable commits through the built store with nothing around it, on several threads: what limits of single endpoints are made of.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { answerOnce, built } from '../core.mjs';

const WARM_UP_MS = 500;

/** Calls of `commit` a second on one thread that keeps `inFlight` of them going. */
async function runLanes({ dataDir, inFlight, seconds }, open) {
  const { openStore } = await built('store/open-store.js');
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const commit = await open(store);
  const from = performance.now() + WARM_UP_MS;
  const until = from + seconds * 1000;
  let commits = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await commit();
      if (performance.now() >= from && performance.now() < until) commits += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: inFlight }, lane));
  } finally {
    await store.close();
  }
  return commits / seconds;
}

/** The rates of all threads together; `inFlight` is shared out among them. */
async function runThreads(url, { threads, inFlight, ...job }) {
  const rates = Array.from({ length: threads }, () => {
    const worker = new Worker(new URL(url), { workerData: { ...job, inFlight: Math.ceil(inFlight / threads) } });
    return new Promise((done, failed) => {
      worker.once('message', done);
      worker.once('error', failed);
    });
  });
  return { perSecond: (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0) };
}

/**
 * The whole program of such a limit: `{ dataDir, threads, inFlight, seconds }` -> `{ perSecond }`.
 * @param {string} url `import.meta.url` of the caller, which is also what the threads run
 * @param {(store: object) => Promise<() => Promise<unknown>>} open makes the function that commits once, or as often as the endpoint does
 */
export async function commitLoop(url, open) {
  if (isMainThread) answerOnce((job) => runThreads(url, job));
  else parentPort.postMessage(await runLanes(workerData, open));
}
