import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { withCore } from '../with-core.ts';
import { playRaw, request } from '../attack/raw-connection.ts';

const FILES: readonly (readonly [path: string, type: string])[] = [
  ['/openapi.json', 'application/json;charset=UTF-8'],
  ['/docs', 'text/html;charset=UTF-8'],
  ['/docs/reference.css', 'text/css;charset=UTF-8'],
  ['/docs/reference.js', 'text/javascript;charset=UTF-8'],
];
const API_KEY = 'key-that-these-pages-do-not-need';

describe.each(LOADABLE_ENGINES)('on the engine %s', (engine) => {
  let core: RunningCore;
  withCore({ env: { HTTP_ENGINE: engine, API_KEYS: API_KEY } }, (running) => (core = running));

  test.each(FILES)('%s is open, compressed where that is understood, and known again', async (path, type) => {
    const plain = await fetch(core.url + path, { headers: { 'accept-encoding': 'identity' } });
    const text = await plain.text();
    expect([plain.status, plain.headers.get('content-type'), plain.headers.get('content-encoding')]).toEqual([200, type, null]);
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
    const packed = await fetch(core.url + path, { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.text()).toBe(text);
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(Buffer.byteLength(text));
    const etag = packed.headers.get('etag') ?? '';
    expect([etag, packed.headers.get('vary'), packed.headers.get('cache-control')]).toEqual([
      plain.headers.get('etag'),
      'Accept-Encoding',
      'no-cache',
    ]);
    const known = await fetch(core.url + path, { headers: { 'if-none-match': `"other", ${etag}` } });
    expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, etag, '']);
    expect((await fetch(core.url + path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('an answer of 304 ends with its head, and declares no length', async () => {
    const etag = (await fetch(`${core.url}/docs`)).headers.get('etag') ?? '';
    const known = request('GET', '/docs', '', [`If-None-Match: ${etag}`, 'Connection: close']);
    const { statuses, text } = await playRaw(core.port, { send: [known] });
    expect(statuses).toEqual([304]);
    expect(text).not.toMatch(/^content-length:/im);
    expect(text).toMatch(/\r\n\r\n$/);
  });

  test('the page may load its own files and nothing else', async () => {
    const { headers } = await fetch(`${core.url}/docs`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self'; img-src data:;/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
  });

  test('gzip is not sent to who refuses it', async () => {
    for (const coding of ['gzip;q=0', '*;q=0', 'br', '']) {
      const answer = await fetch(`${core.url}/docs`, { headers: { 'accept-encoding': coding } });
      expect([coding, answer.headers.get('content-encoding')]).toEqual([coding, null]);
    }
  });
});

test('below a base path the description names it, and the page is there too', async () => {
  const core = await startCore({ env: { BASE_PATH: '/auth' } });
  try {
    const { servers, paths } = (await (await fetch(`${core.url}/auth/openapi.json`)).json()) as {
      readonly servers: readonly { readonly url: string }[];
      readonly paths: Readonly<Record<string, object>>;
    };
    expect(servers.map(({ url }) => url)).toEqual(['/auth', '/auth/appid-{appId}', '/auth/{tenantId}', '/auth/appid-{appId}/{tenantId}']);
    expect((await fetch(core.url + servers[0]?.url + '/hello')).status).toBe(200);
    expect(paths).toHaveProperty(['/recipe/signup']);
    for (const path of ['/auth/docs', '/auth/docs/reference.css', '/docs']) expect((await fetch(core.url + path)).status).toBe(200);
  } finally {
    await core.stop();
  }
});

describe('switched off', () => {
  let core: RunningCore;
  beforeAll(async () => {
    core = await startCore({ env: { API_DOCS: 'false' } });
  });
  afterAll(() => core.stop());

  test.each(FILES)('%s is not there, and the rest is', async (path) => {
    expect((await fetch(core.url + path)).status).toBe(404);
    expect((await fetch(`${core.url}/livez`)).status).toBe(200);
  });
});
