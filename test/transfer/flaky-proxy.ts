import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** What happens to an upload: it never arrives; its answer is lost, at once or when the users may be imported; or it is refused for now. */
export type Mishap = 'drop-request' | 'drop-answer' | 'drop-answer-later' | 'busy' | 'bad-gateway';

/** Stands between an import and a core, and treats its uploads badly. */
export interface FlakyProxy {
  readonly url: string;
  /** What happens to the next uploads, one after the other; all others pass. */
  behave(mishaps: readonly Mishap[]): void;
  /** Answers 413 to uploads of more bytes. */
  limit(bytes: number): void;
  close(): Promise<void>;
}

const LATER_MS = 1500;

/** Opens a proxy to a core. */
export async function openFlakyProxy(target: string): Promise<FlakyProxy> {
  let coming: Mishap[] = [];
  let most = Number.POSITIVE_INFINITY;

  async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isUpload = asked.method === 'POST' && asked.url?.endsWith('/bulk-import/users') === true;
    if (isUpload && body.length > most) return void answer.writeHead(413).end('Request body is too large');
    const mishap = isUpload ? coming.shift() : undefined;
    if (mishap === 'drop-request') return void asked.socket.destroy();
    if (mishap === 'busy') return void answer.writeHead(503, { 'retry-after': '0' }).end();
    const passed = request(`${target}${asked.url}`, { method: asked.method, headers: asked.headers, agent: false });
    passed.end(body);
    const [response] = (await once(passed, 'response')) as [IncomingMessage];
    if (mishap === undefined) {
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(answer);
      return undefined;
    }
    response.resume();
    await once(response, 'end');
    if (mishap === 'drop-answer-later') await wait(LATER_MS);
    if (mishap === 'bad-gateway') answer.writeHead(502).end();
    else asked.socket.destroy();
    return undefined;
  }

  const server = createServer((asked, answer) => {
    void serve(asked, answer).catch(() => asked.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    behave: (mishaps) => {
      coming = [...mishaps];
    },
    limit: (bytes) => {
      most = bytes;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
