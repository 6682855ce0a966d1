import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { LaneFullError } from '../../src/lanes/lane-errors.ts';
import { type LongReply, type Reply, textReply } from '../../src/http/reply.ts';
import { type Observer, Server } from '../../src/http/server.ts';
import { Refusal } from '../../src/recipes/refusal.ts';
import type { Answer, Method } from '../../src/recipes/route.ts';
import type { TenantDirectory } from '../../src/recipes/tenants/directory.ts';
import { configWith, directoryOf, echo, headOf, requestOf, servicesOf } from './fixtures.ts';

const KEY = 'k'.repeat(20);
const TENANTS = [
  { address: '|public|public' },
  { address: '|public|t1' },
  { address: '|a1|public', app: { api_keys: [KEY], ip_deny_regex: '10\\..*', supertokens_max_cdi_version: '5.4' } as Partial<Config> },
  { address: '|a1|t1', own: { ip_deny_regex: null, ip_allow_regex: '10\\..*' } },
  { address: 'cud.example|public|public' },
];

const fail = (error: unknown) => (): Answer => {
  throw error;
};
async function* longText(fault?: Error): AsyncGenerator<string> {
  for (let piece = 0; piece < 200; piece++) {
    if (fault && piece === 100) throw fault;
    yield 'x'.repeat(1000);
  }
}
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];
const ROUTES = [
  ...METHODS.map((method) => echo(method, '/', { scope: 'root', apiKey: false, run: () => ({ text: 'Hello' }) })),
  echo('GET', '/hello', { scope: 'app-any-tenant', apiKey: false, versionChecked: false, run: () => ({ text: 'Hello' }) }),
  echo('GET', '/tenant'),
  echo('POST', '/written', { input: 'account-linking/check-link' }),
  echo('POST', '/upload', { rawInput: 'bulk-import/add-users' }),
  echo('GET', '/app', { scope: 'app' }),
  echo('GET', '/app-first', { scope: 'app-existing-first' }),
  echo('GET', '/legacy', { only: 'legacySessions' }),
  echo('GET', '/busy', { run: fail(new LaneFullError('hash')) }),
  echo('GET', '/fault', { run: fail(new Error('secret cause')) }),
  echo('GET', '/forbidden', { run: fail(new Refusal('forbidden', { text: 'no' })) }),
  echo('GET', '/long', { run: () => ({ jsonPieces: longText() }) }),
  echo('GET', '/long-fault', { run: () => ({ jsonPieces: longText(new Error('in the middle')) }) }),
  echo('GET', '/cached', { run: () => ({ json: { a: 1 }, cacheControl: 'max-age=60' }) }),
];

interface Seen {
  readonly faults: unknown[];
  readonly counted: number[];
  readonly finished: string[];
}

function serve(options: Partial<Config> = {}, isSlow = false): { server: Server; seen: Seen } {
  const seen: Seen = { faults: [], counted: [], finished: [] };
  const observer: Observer = {
    faulted: (error) => seen.faults.push(error),
    counted: (app) => seen.counted.push(app),
    finished: (route, status) => seen.finished.push(`${route?.path ?? '-'} ${status}`),
  };
  const plain = new Map([
    ['/livez', { isOpen: true, answer: () => textReply(200, 'alive') }],
    ['/metrics', { isOpen: false, answer: () => textReply(200, 'metrics') }],
  ]);
  const services = servicesOf(directoryOf(TENANTS, isSlow));
  return { server: new Server({ routes: ROUTES, services, config: configWith(options), plain, observer }), seen };
}

const { server } = serve();
const slow = serve({}, true).server;
const shown = (reply: Reply | LongReply): string => {
  if ('pieces' in reply) throw new Error('no answer here is long');
  return `${reply.status} ${String(reply.body).trimEnd()}`;
};
const NOT_FOUND =
  '400 AppId or tenantId not found => Tenant with the following connectionURIDomain, appId and tenantId combination not found: ';
const ok = (path: string, app = 'public', tenant = 'public', cud = ''): string =>
  `200 {"status":"OK","path":"${path}","app":"${app}","tenant":"${tenant}","cud":"${cud}"}`;
const key = `api-key: ${KEY}`;

describe('the pipeline of contract 01 section 2.6, on a store that answers at once and on one that does not', () => {
  test.each<[target: string, headers: string[], expected: string]>([
    ['GET /', [], '200 Hello'],
    ['POST /t1', [], '200 Hello'],
    ['GET /ghost', [], '404 Not found'],
    ['GET /ghost/hello', [], '200 Hello'],
    ['GET /a/b/c', [], '404 Not found'],
    ['GET /appid-nosuch', [], `${NOT_FOUND}(, nosuch, public)`],
    ['GET /appid-nosuch/x', [], `${NOT_FOUND}(, nosuch, public)`],
    ['GET /appid-nosuch/x/y', [], '404 Not found'],
    ['GET /appid-a1/t1', [], '403 Forbidden'],
    ['GET /appid-a1', [], '200 Hello'],
    ['HEAD /nothing', [], '404 Not found'],
    ['HEAD /tenant', [], ok('/tenant')],
    ['HEAD /upload', [], '405 Method not supported'],
    ['HEAD /appid-a1/tenant', [], '401 Invalid API key'],
    ['HEAD /livez', [], '200 alive'],
    ['GET /tenant', [], ok('/tenant')],
    ['GET /t1/tenant', [], ok('/tenant', 'public', 't1')],
    ['GET /ghost/tenant', [], `${NOT_FOUND}(, public, ghost)`],
    ['GET /tenant', ['Cdi-Version: 2.21'], ok('/tenant')],
    ['GET /t1/tenant', ['Cdi-Version: 2.21'], '404 Not found'],
    ['GET /t1/hello', ['Cdi-Version: 2.21'], '404 Not found'],
    ['GET /public/tenant', ['Cdi-Version: 2.21'], ok('/tenant')],
    ['GET /tenant', ['Cdi-Version: 2.6'], '400 cdi-version 2.6 not supported'],
    ['GET /hello', ['Cdi-Version: 2.6'], '200 Hello'],
    ['GET /hello', ['Cdi-Version: x'], '400 cdi-version header is invalid'],
    ['GET /hello', ['Cdi-Version: 5.7'], '400 cdi-version 5.7 not supported'],
    ['GET /', ['Cdi-Version: 5.0.0'], '400 cdi-version 5.0.0 not supported'],
    ['GET /app', [], ok('/app')],
    ['GET /t1/app', [], '403 Only public tenantId can call this app specific API'],
    ['GET /t1/app', ['Cdi-Version: 4.0'], ok('/app')],
    ['GET /ghost/app', ['Cdi-Version: 4.0'], ok('/app')],
    ['GET /appid-x/t/app', [], '403 Only public tenantId can call this app specific API'],
    ['GET /appid-x/t/app-first', [], `${NOT_FOUND}(, x, public)`],
    ['GET /t1/app-first', [], '403 Only public tenantId can call this app specific API'],
    ['GET /appid-a1/tenant', [], '401 Invalid API key'],
    ['GET /appid-a1/tenant', [key], ok('/tenant', 'a1')],
    ['GET /appid-a1/tenant', [`Authorization: Bearer ${KEY}`], ok('/tenant', 'a1')],
    ['GET /appid-a1/tenant', [key, 'Cdi-Version: 5.5'], '400 cdi-version 5.5 not supported'],
    ['GET /appid-a1/ghost/tenant', [], '401 Invalid API key'],
    ['GET /appid-a1/ghost/tenant', [key], `${NOT_FOUND}(, a1, ghost)`],
    ['GET /appid-nosuch/tenant', [], `${NOT_FOUND}(, nosuch, public)`],
    ['DELETE /tenant', [], '405 Method not supported'],
    ['DELETE /tenant', ['Cdi-Version: 9'], '400 cdi-version 9 not supported'],
    ['OPTIONS /appid-a1/tenant', [], '401 Invalid API key'],
    ['BREW /tenant', [], '501 Method not implemented'],
    ['GET /legacy', ['Cdi-Version: 2.20'], ok('/legacy')],
    ['GET /legacy', [], '404 Not found'],
    ['GET /busy', [], '503 Server is busy, try again later'],
    ['GET /fault', [], '500 Internal server error'],
    ['GET /forbidden', [], '403 no'],
    ['GET /tenant%2f', [], '400 Invalid path'],
    ['GET /livez', [], '200 alive'],
    ['POST /livez', [], '404 Not found'],
  ])('%s %j', async (target, headers, expected) => {
    const request = requestOf(target, headers);
    const reply = server.handle(request);
    expect(reply).not.toBeInstanceOf(Promise);
    expect(shown(await reply)).toBe(expected);
    expect(shown(await slow.handle(request))).toBe(expected);
  });

  test('a domain is found by the host, and may be closed', () => {
    const request = { ...requestOf('GET /tenant'), head: { ...headOf(), host: 'cud.example:3567' } };
    expect(shown(server.handle(request) as Reply)).toBe(ok('/tenant', 'public', 'public', 'cud.example'));
    const { server: closed } = serve({ supertokens_saas_load_only_cud: 'other.example' });
    expect(shown(closed.handle(request) as Reply)).toBe('400 Connection URI domain is disallowed');
    const { server: open } = serve({ supertokens_saas_load_only_cud: 'cud.example' });
    expect(shown(open.handle(request) as Reply)).toBe(ok('/tenant', 'public', 'public', 'cud.example'));
  });

  test('IP rules come before keys and follow the tenant, or else its app', async () => {
    expect(shown(await server.handle(requestOf('GET /appid-a1/tenant', [key], '', '10.1.1.1')))).toBe('403 Forbidden');
    expect(shown(await server.handle(requestOf('GET /appid-a1/ghost/hello', [], '', '10.1.1.1')))).toBe('403 Forbidden');
    expect(shown(await server.handle(requestOf('GET /appid-a1/t1/tenant', [key], '', '10.1.1.1')))).toBe(ok('/tenant', 'a1', 't1'));
    expect(shown(await server.handle(requestOf('GET /appid-a1/t1/tenant', [], '', '11.1.1.1')))).toBe('403 Forbidden');
  });

  test('plain endpoints: probes are open, metrics ask for the key; both stand under the base path too', async () => {
    const { server: guarded } = serve({ api_keys: [KEY], base_path: '/base' });
    expect(shown(await guarded.handle(requestOf('GET /livez')))).toBe('200 alive');
    expect(shown(await guarded.handle(requestOf('GET /base/livez')))).toBe('200 alive');
    expect(shown(await guarded.handle(requestOf('GET /metrics')))).toBe('401 Invalid API key');
    expect(shown(await guarded.handle(requestOf('GET /metrics', [key])))).toBe('200 metrics');
    expect(shown(await guarded.handle(requestOf('GET /tenant')))).toBe('404 Not found');
  });
});

describe('what is told besides the answer', () => {
  test('content types, headers and line ends', async () => {
    expect(await server.handle(requestOf('GET /hello'))).toEqual({ status: 200, contentType: 'text/html;charset=UTF-8', body: 'Hello\n' });
    expect(await server.handle(requestOf('GET /cached'))).toEqual({
      status: 200,
      contentType: 'application/json;charset=UTF-8',
      body: '{"a":1}\n',
      headers: [['Cache-Control', 'max-age=60']],
    });
    expect((await server.handle(requestOf('GET /busy'))).headers).toEqual([['Retry-After', '1']]);
  });

  test('faults are reported with their cause, refusals and full lanes are not', async () => {
    const { server: watched, seen } = serve();
    for (const target of ['GET /fault', 'GET /busy', 'GET /forbidden', 'GET /tenant']) await watched.handle(requestOf(target));
    expect(seen.faults).toEqual([new Error('secret cause')]);
    expect(seen.finished).toEqual(['/fault 500', '/busy 503', '/forbidden 403', '/tenant 200']);
  });

  test('an answer that is made while it is sent counts when it is over, and as a fault where it breaks off', async () => {
    const { server: watched, seen } = serve();
    const begin = async (path: string): Promise<LongReply> => {
      const reply = await watched.handle(requestOf(`GET ${path}`));
      if (!('pieces' in reply)) throw new Error(`${path} is not long`);
      return reply;
    };
    const [whole, left, broken] = [await begin('/long'), await begin('/long'), await begin('/long-fault')];
    expect(seen.finished).toEqual([]);
    let text = '';
    for (let piece = await whole.pieces.next(); piece; piece = await whole.pieces.next()) text += Buffer.from(piece).toString();
    expect(text).toBe(`${'x'.repeat(200_000)}\n`);
    await left.pieces.end();
    const all = async (): Promise<void> => {
      while (await broken.pieces.next());
    };
    await expect(all()).rejects.toThrow('in the middle');
    await broken.pieces.end();
    expect(seen.finished).toEqual(['/long 200', '/long 200', '/long-fault 500']);
    expect(seen.faults).toEqual([new Error('in the middle')]);
  });

  test('a thread sends so many of them at a time, and lets the others go', async () => {
    const { server: watched, seen } = serve();
    const begun = await Promise.all(Array.from({ length: 33 }, () => watched.handle(requestOf('GET /long'))));
    expect(begun.filter((reply) => 'pieces' in reply)).toHaveLength(32);
    expect(seen.finished).toEqual(['/long 503']);
    for (const reply of begun) if ('pieces' in reply) await reply.pieces.end();
    expect('pieces' in (await watched.handle(requestOf('GET /long')))).toBe(true);
  });

  test('traffic is counted for existing apps, also when refused, but not what IP rules or old versions end', async () => {
    const { server: watched, seen } = serve();
    await watched.handle(requestOf('GET /tenant'));
    await watched.handle(requestOf('GET /appid-a1/tenant'));
    await watched.handle(requestOf('GET /fault'));
    await watched.handle(requestOf('GET /appid-a1/tenant', [key], '', '10.1.1.1'));
    await watched.handle(requestOf('GET /t1/tenant', ['cdi-version: 2.20']));
    await watched.handle(requestOf('GET /appid-nosuch/tenant'));
    expect(seen.counted).toEqual([1, 2, 1]);
  });
});

describe('what body a request may send', () => {
  const MIB = 1 << 20;
  const ask = async (subject: Server, target: string, headers: readonly string[] = [], peer?: string) => {
    const { body: _, ...request } = requestOf(target, headers, '', peer);
    const leave = await subject.admitBody(request);
    return 'status' in leave ? shown(leave) : leave;
  };
  const form = 'content-type: Application/x-www-form-urlencoded; charset=utf-8';

  test('its limit', async () => {
    expect(await ask(server, 'POST /written')).toMatchObject({ limit: 8 * MIB, isRead: true });
    expect(await ask(server, 'POST /written', [form])).toMatchObject({ limit: 2 * MIB, isRead: true });
    expect(await ask(server, 'POST /upload')).toMatchObject({ limit: 64 * MIB, isRead: true });
    expect(await ask(server, 'POST /upload', ['content-length: 1000'])).toMatchObject({ limit: 8 * MIB, isRead: true });
  });

  test('nothing is kept where nothing is read', async () => {
    for (const target of ['POST /', 'GET /tenant', 'POST /nothing', 'GET /livez', 'DELETE /written', 'POST /appid-nosuch'])
      expect(await ask(server, target)).toMatchObject({ isRead: false });
  });

  test.each<[target: string, headers: string[], expected: string]>([
    ['POST /appid-a1/written', [], '401 Invalid API key'],
    ['POST /appid-a1/written', [`api-key: ${'x'.repeat(20)}`], '401 Invalid API key'],
    ['POST /appid-a1/ghost/written', [], '401 Invalid API key'],
    ['POST /appid-a1/t1/written', [key], '403 Forbidden'],
    ['POST /appid-nosuch/written', [], `${NOT_FOUND}(, nosuch, public)`],
    ['POST /written%2f', [], '400 Invalid path'],
  ])('who may not call is told before: %s %j', async (target, headers, expected) => {
    expect(await ask(server, target, headers)).toBe(expected);
    expect(await ask(slow, target, headers)).toBe(expected);
  });

  test('an app with keys of its own, on a store that does not answer at once', async () => {
    const guarded = serve({ api_keys: ['b'.repeat(20)] }, true).server;
    expect(await ask(guarded, 'POST /appid-a1/written', [key])).toMatchObject({ isRead: true });
    expect(await ask(guarded, 'POST /appid-a1/written', [`api-key: ${'b'.repeat(20)}`])).toBe('401 Invalid API key');
  });

  test('all together have the room that max_bodies_in_flight_bytes gives', async () => {
    const { server: own, seen } = serve({ max_bodies_in_flight_bytes: 128 * MIB });
    const large = [key, `content-length: ${64 * MIB}`];
    const first = await ask(own, 'POST /appid-a1/upload', large);
    expect(await ask(own, 'POST /appid-a1/upload', large)).toMatchObject({ limit: 64 * MIB });
    expect(await ask(own, 'POST /appid-a1/upload', large)).toBe('503 Server is busy, try again later');
    expect(await ask(own, 'POST /written', ['content-length: 100000'])).toBe('503 Server is busy, try again later');
    expect(await ask(own, 'POST /appid-a1/upload')).toBe('401 Invalid API key');
    if (typeof first === 'object') first.release();
    if (typeof first === 'object') first.release();
    const undeclared = await ask(own, 'POST /written');
    if (typeof undeclared === 'string') throw new Error(undeclared);
    expect([undeclared.hold(8 * MIB), undeclared.hold(65 * MIB), undeclared.hold(64 * MIB)]).toEqual([true, false, true]);
    expect(await ask(own, 'POST /written', ['content-length: 1'])).toBe('503 Server is busy, try again later');
    undeclared.release();
    expect(await ask(own, 'POST /appid-a1/upload', large)).toMatchObject({ limit: 64 * MIB });
    expect(seen.finished).toEqual(['- 503', '- 503', '- 401', '- 503']);
    expect(seen.counted).toEqual([2, 1, 2, 1]);
  });
});

test('what changes something waits until all that came with it was read, and is not done when nobody is there any more', async () => {
  const done: string[] = [];
  const note = (method: Method) => echo(method, '/noted', { run: () => (done.push(method), { text: 'ok' }) });
  const services = servicesOf(directoryOf(TENANTS));
  const own = new Server({ routes: [...ROUTES, ...METHODS.map(note)], services, config: configWith() });
  const lost = { settled: () => Promise.reject(new Refusal('connection-lost')) };
  for (const method of METHODS) await own.handle({ ...requestOf(`${method} /noted`), ...lost });
  expect(done).toEqual(['GET']);
  for (const method of METHODS) await own.handle({ ...requestOf(`${method} /noted`), settled: () => Promise.resolve() });
  expect(done).toEqual(['GET', ...METHODS]);
});

describe('another base configuration', () => {
  test('counts from then on', () => {
    const { server: own } = serve({ sign_in_address_header: 'X-Old', max_body_bytes: 2000 });
    own.use(configWith({ sign_in_address_header: 'X-New', max_body_bytes: 3000, api_keys: [KEY] }));
    expect([own.addressHeader, own.smallBodyBytes]).toEqual(['x-new', 3000]);
    expect(own.handle(requestOf('GET /metrics'))).toMatchObject({ status: 401 });
  });

  test.each(['/tenant', '/t1/tenant', '/none/tenant'])(
    'that comes while a request is looked at: all of its checks meet one (%s)',
    async (path) => {
      let config = configWith();
      const find: TenantDirectory['find'] = async (address) => {
        const known = directoryOf([
          { address: '|public|public', app: config },
          { address: '|public|t1', app: config },
        ]);
        await nextTurn();
        return known.find(address);
      };
      const own = new Server({ routes: ROUTES, services: servicesOf({ ...directoryOf([]), find }), config });
      const asked = own.handle(requestOf(`GET ${path}`));
      config = configWith({ api_keys: [KEY] });
      own.use(config);
      expect(await asked).toMatchObject({ status: 401 });
      expect(await own.handle(requestOf(`GET ${path}`, [`api-key: ${KEY}`]))).toMatchObject({ status: path.includes('none') ? 400 : 200 });
    },
  );
});

test("the header with the end user's address has its name in lower case, and none unless configured", () => {
  expect(serve({ sign_in_address_header: 'X-User-Address' }).server.addressHeader).toBe('x-user-address');
  expect(server.addressHeader).toBeUndefined();
});
