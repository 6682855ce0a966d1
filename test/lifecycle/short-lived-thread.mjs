// A stand-in for an HTTP thread: it says that it listens, then lives as its plan tells.
import { parentPort, workerData } from 'node:worker_threads';

const { life, port, sharesPort } = workerData;
const lives = {
  serves: () => {
    parentPort.postMessage({ kind: 'listening', port: port === 0 ? 4567 : port, sharesPort });
    parentPort.on('message', ({ kind }) => {
      if (kind === 'stop') process.exit(0);
    });
  },
  'dies after listening': () => {
    parentPort.postMessage({ kind: 'listening', port, sharesPort });
    setTimeout(() => {
      throw new Error('out of luck');
    }, 20);
  },
  'cannot listen': () => {
    parentPort.postMessage({ kind: 'failed', reason: 'the port is taken' });
    setTimeout(() => process.exit(1), 20);
  },
  'dies at once': () => process.exit(3),
};
lives[life]();
