import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../../src/recipes/routes.ts';
import { KEY } from '../../cli/places.ts';
import type { RunningCore } from '../../running-core.ts';
import { withCore } from '../../with-core.ts';
import { addOperator, Browser, send } from './browser.ts';

const ACTED = 'operator.acted';

let core: RunningCore;
let browser: Browser;
withCore({ env: { API_KEYS: KEY } }, async (started) => {
  core = started;
  await addOperator(core.port, KEY, 'ann@example.com', 'admin');
  browser = new Browser(core.port);
  await browser.signIn('ann@example.com');
});

interface Told {
  readonly kind: string;
  readonly actor: { readonly type: string; readonly name?: string };
  readonly via: string;
  readonly tenantId?: string;
}

/** What the trail tells of an endpoint, once it is sealed. */
async function told(via: string): Promise<readonly Told[]> {
  const { body } = await send(core.port, 'GET', '/manage/v1/audit?limit=500&everywhere=true', { 'api-key': KEY });
  return (body['events'] as readonly Told[]).filter((event) => event.via === via);
}

const act = (method: string, path: string, body: object) => browser.ask(method, path, body);

describe('what an operator does by an endpoint that tells nothing of back ends', () => {
  test('is told, under the name of the operator, with the tenant', async () => {
    const { body } = await send(core.port, 'POST', '/recipe/signinup/code', { 'api-key': KEY }, { email: 'a@example.com' });
    expect(body['status']).toBe('OK');
    await act('POST', '/recipe/signinup/codes/remove', { email: 'a@example.com' });
    await expect.poll(() => told('POST /recipe/signinup/codes/remove'), { timeout: 5_000 }).toHaveLength(1);
    expect((await told('POST /recipe/signinup/codes/remove'))[0]).toMatchObject({
      kind: ACTED,
      actor: { type: 'operator', name: expect.any(String) },
      tenantId: 'public',
    });
    expect(await told('POST /recipe/signinup/code'), 'that of a back end is not').toEqual([]);
  });

  test('is told where another thread writes, too, and once where there are many transactions', async () => {
    const users = [1, 2, 3].map((at) => ({ loginMethods: [{ recipeId: 'passwordless', email: `q${at}@example.com` }] }));
    expect((await act('POST', '/bulk-import/users', { users })).body).toMatchObject({ status: 'OK' });
    await act('POST', '/bulk-import/users/remove', { ids: Array.from({ length: 120 }, (_, at) => `id-${at}`) });
    for (const via of ['POST /bulk-import/users', 'POST /bulk-import/users/remove'])
      await expect.poll(() => told(via), { timeout: 5_000 }).toEqual([expect.objectContaining({ kind: ACTED, via })]);
  });

  test('is told where secrets were asked for', async () => {
    await browser.ask('GET', '/manage/v1/export/users');
    await browser.ask('GET', '/bulk-import/users');
    await act('POST', '/recipe/jwt', { payload: {}, algorithm: 'RS256', jwksDomain: 'https://example.com', validity: 60 });
    for (const via of ['GET /manage/v1/export/users', 'GET /bulk-import/users', 'POST /recipe/jwt'])
      await expect.poll(() => told(via), { timeout: 5_000 }).toEqual([expect.objectContaining({ kind: ACTED, via })]);
  });

  test('is not told where it was refused, or where it tells of itself', async () => {
    expect((await act('POST', '/recipe/session/regenerate', {})).status).toBe(400);
    await act('POST', '/recipe/session/remove', { sessionHandles: ['none'] });
    await act('POST', '/recipe/user/metadata/bulk', { userIds: ['a'] });
    await act('PUT', '/recipe/user/metadata', { userId: 'u1', metadataUpdate: { a: 1 } });
    await expect.poll(() => told('PUT /recipe/user/metadata'), { timeout: 5_000 }).toHaveLength(1);
    expect(await told('PUT /recipe/user/metadata')).toMatchObject([{ kind: 'user.metadata-changed' }]);
    for (const via of ['POST /recipe/session/regenerate', 'POST /recipe/session/remove', 'POST /recipe/user/metadata/bulk'])
      expect(await told(via)).toEqual([]);
  });
});

test('no row that may be silent is left out, but those that only read and the one that tells of operators itself', () => {
  const quiet = ROUTES.filter(({ method, silence }) => method !== 'GET' && silence === 'ended');
  expect(quiet.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /recipe/session/remove']);
});
