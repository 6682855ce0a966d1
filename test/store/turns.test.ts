import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openForTest } from './engines.ts';
import { people, person } from './people.ts';

const CLIENTS = fileURLToPath(new URL('full-poll-clients.mjs', import.meta.url));
/** More than the 1,024 events that libuv takes in with one poll; when a poll was full, it polls again before any immediate runs. */
const CONNECTIONS = 1400;
/** Until all that was sent is there to be received. */
const STALL_MS = 300;

/** Clients that have connected and send one byte each when told to. */
async function connectedClients(server: Server): Promise<{ send(): void }> {
  server.listen({ port: 0, host: '127.0.0.1', backlog: CONNECTIONS });
  onTestFinished(() => void server.close());
  let accepted = 0;
  const allAccepted = new Promise<void>((resolve) => server.on('connection', () => ++accepted === CONNECTIONS && resolve()));
  await once(server, 'listening');
  const clients = fork(CLIENTS, [String((server.address() as AddressInfo).port), String(CONNECTIONS)], { execArgv: [] });
  onTestFinished(() => void clients.kill());
  await Promise.all([once(clients, 'message'), allAccepted]);
  return { send: () => void clients.send('go') };
}

/** Blocks this thread. */
function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
}

test('a request sees what was committed before the poll that received it, however many came before', async () => {
  const store = await openForTest({ engine: 'memory' });
  const write = (age: number): Promise<unknown> => store.transact((tx) => tx.put(people, person('a', { age })));
  const ageNow = async (): Promise<number | undefined> => (await store.readThisTurn((reader) => reader.get(people, [1, 'a'])))?.age;
  await write(1);
  let received = 0;
  const answers: Promise<number | undefined>[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      received += 1;
      if (received === 1) answers.push(ageNow(), write(2).then(ageNow));
      if (received === CONNECTIONS) server.emit('answered', answers.push(ageNow()));
    });
  });
  const clients = await connectedClients(server);
  const answered = once(server, 'answered');
  clients.send();
  stall();
  await answered;
  const [first, , last] = await Promise.all(answers);
  expect([first, last]).toEqual([1, 2]);
});
