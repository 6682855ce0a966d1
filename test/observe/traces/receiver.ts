import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ReceivedSpan, spansOf } from './otlp.ts';

/** What a receiver was sent. */
interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly spans: readonly ReceivedSpan[];
}

/** How a receiver answers once it has read a request. */
type Answer = (response: ServerResponse) => void;

/** A collector of spans on a free port of loopback. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  spans(): ReceivedSpan[];
  /** Answers like this from now on. */
  answer(how: Answer): void;
  close(): Promise<void>;
}

export const TAKEN: Answer = (response) => response.end();

/** Opens a receiver, which takes spans until it is told otherwise. @param port the one of a receiver before; else any free one */
export async function openReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let how = TAKEN;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    received.push({ path: request.url, headers: request.headers, spans: spansOf(Buffer.concat(pieces)) });
    how(response);
  };
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    received,
    spans: () => received.flatMap(({ spans }) => [...spans]),
    answer: (next) => (how = next),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
