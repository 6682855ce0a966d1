import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where the SDK's provider `boxy-saml` looks, and what the core has there. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ['/api/oauth/authorize', '/recipe/saml/legacy/authorize'],
  ['/api/oauth/saml', '/recipe/saml/legacy/callback'],
  ['/api/oauth/token', '/recipe/saml/legacy/token'],
  ['/api/oauth/userinfo', '/recipe/saml/legacy/userinfo'],
]);
/** What the proxy hands on in either direction. */
const HEADERS = ['content-type', 'authorization', 'location'];

/** The reverse proxy that docs/saml.md describes, in front of the core's OAuth-style endpoints. */
export interface LegacyProxy {
  readonly url: string;
  /** The address of the core; there once the core has been started. */
  core: string;
  /** The core's API key, of which browsers know nothing. */
  readonly apiKey: string;
  close(): Promise<void>;
}

export async function startLegacyProxy(apiKey: string): Promise<LegacyProxy> {
  const target = { core: '', apiKey };
  const server = createServer((request, response) => {
    forward(request, response, target).catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(target, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  });
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { core, apiKey }: { core: string; apiKey: string },
): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://proxy');
  const path = PATHS.get(pathname);
  if (path === undefined) return void response.writeHead(404).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const sent = Object.entries(request.headers).filter((header): header is [string, string] => HEADERS.includes(header[0]));
  const answer = await fetch(core + path + search, {
    method: request.method ?? 'GET',
    redirect: 'manual',
    headers: { ...Object.fromEntries(sent), 'api-key': apiKey },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => HEADERS.includes(name))));
  response.end(Buffer.from(await answer.arrayBuffer()));
}
