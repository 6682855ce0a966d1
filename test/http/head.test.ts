import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/recipes/routes.ts';
import { playRaw, request } from '../attack/raw-connection.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { type RunningCore, startCore } from '../running-core.ts';

/** HEAD answers wherever GET does, with the head of that answer and nothing behind it. */
const PLAIN = ['/livez', '/readyz', '/metrics', '/openapi.json', '/docs', '/docs/reference.css', '/docs/reference.js'];
const PATHS = [...new Set(ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path))];
/** What differs from one answer to the next. */
const LENGTH_MAY_DIFFER = new Set(['/metrics', '/requests/stats', '/manage/v1/overview']);

interface Shown {
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly length: number | undefined;
  readonly body: string;
}

describe.each(LOADABLE_ENGINES)('on the engine %s', (engine) => {
  let core: RunningCore;
  beforeAll(async () => {
    core = await startCore({ env: { HTTP_ENGINE: engine } });
  });
  afterAll(() => core.stop());

  async function ask(method: string, path: string): Promise<Shown> {
    // Closed at the end, so that all that came is seen.
    const { text, statuses } = await playRaw(core.port, { send: [request(method, path, '', ['Connection: close'])] });
    const [head = '', ...rest] = text.split('\r\n\r\n');
    const value = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
    return {
      status: statuses[0],
      contentType: value('content-type'),
      length: Number(value('content-length')),
      body: rest.join('\r\n\r\n'),
    };
  }

  test.each([...PLAIN, ...PATHS])('HEAD %s', async (path) => {
    const [got, head] = [await ask('GET', path), await ask('HEAD', path)];
    expect(got.status).not.toBe(405);
    expect(head).toEqual({ ...got, body: '', length: LENGTH_MAY_DIFFER.has(path) ? expect.any(Number) : got.length });
  });

  test('405 where there is no GET, and 404 where there is nothing', async () => {
    expect(await ask('HEAD', '/recipe/signup')).toMatchObject({ status: 405, body: '' });
    expect(await ask('HEAD', '/recipe/session/verify')).toMatchObject({ status: 405, body: '' });
    expect(await ask('HEAD', '/no/such/path')).toMatchObject({ status: 404, body: '' });
  });

  test('a connection goes on behind it', async () => {
    const { statuses, closed } = await playRaw(core.port, {
      send: [request('HEAD', '/apiversion'), 50, request('HEAD', '/recipe/jwt/jwks'), 300, request('GET', '/hello')],
      answers: 3,
    });
    expect({ statuses, closed }).toEqual({ statuses: [200, 200, 200], closed: false });
  });
});
