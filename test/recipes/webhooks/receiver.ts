import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issue, type KeyPair, makeAuthority } from '../../postgres/certificates.ts';

/** A message as it arrived. */
export interface Received {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  readonly type: string;
  readonly userId: string | undefined;
  readonly sequence: number;
}

/** What a receiver does with a message once it has noted it. */
export type Answer = (response: ServerResponse, received: Received) => void;

/** An HTTPS server on this machine. */
export interface Receiver {
  /** For the address of a webhook. */
  readonly url: string;
  readonly received: Received[];
  /** How it answers; at first with 204. */
  answer: Answer;
  close(): void;
}

/** An authority for the certificates of receivers, in a folder of its own. */
export interface Authority {
  /** For `NODE_EXTRA_CA_CERTS`. */
  readonly cert: string;
  readonly pair: KeyPair;
  remove(): void;
}

export function newAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-authority-'));
  const authority = makeAuthority(folder, 'authority');
  return {
    cert: authority.cert,
    pair: issue(folder, authority, 'receiver', 'localhost'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** @param port 0 for any free one */
export async function openReceiver({ pair }: Authority, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ cert: readFileSync(pair.cert), key: readFileSync(pair.key) }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      const { type, data } = JSON.parse(body) as { type: string; data: { userId?: string; sequence: number } };
      const one = { body, headers: request.headers, type, userId: data.userId, sequence: data.sequence };
      received.push(one);
      receiver.answer(response, one);
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const receiver: Receiver = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (response) => response.writeHead(204).end(),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return receiver;
}
