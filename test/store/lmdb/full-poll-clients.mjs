// Opens connections to a port, and when told to, sends one byte over each of them.
import { once } from 'node:events';
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }));
await Promise.all(sockets.map((socket) => once(socket, 'connect')));
process.on('message', () => {
  for (const socket of sockets) socket.write('x');
  process.send('sent');
});
process.send('connected');
