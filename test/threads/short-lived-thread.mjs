// A stand-in for an HTTP thread: it gets ready, is told to listen, then lives as its plan tells.
import { parentPort, workerData } from 'node:worker_threads';

const { life, sharesPort } = workerData;
const say = (message) => parentPort.postMessage(message);
const listening = (port) => say({ kind: 'listening', port: port === 0 ? 4567 : port });

/** What each life does when it is told to listen. */
const lives = {
  serves: listening,
  'dies after listening': (port) => {
    listening(port);
    setTimeout(() => {
      throw new Error('out of luck');
    }, 20);
  },
  'cannot listen': () => {
    say({ kind: 'failed', reason: 'the port is taken' });
    setTimeout(() => process.exit(1), 20);
  },
};

if (life === 'dies at once') process.exit(3);
parentPort.on('message', ({ kind, port }) => {
  if (kind === 'stop') process.exit(0);
  if (kind === 'listen') lives[life](port);
});
say({ kind: 'prepared', sharesPort });
