import { beforeEach, describe, expect, test } from 'vitest';
import { queueEntries } from '../../../src/recipes/bulk-import/records.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const PASSWORD = 'never-to-be-shown 1';

let core: InProcessCore;

beforeEach(async () => {
  core = await openInProcessCore('5.3');
});

const list = (query = '', at = ''): Promise<InProcessAnswer> => core.call('GET', `${at}/manage/v1/imports${query}`);
const retry = (ids: readonly string[], at = ''): Promise<InProcessAnswer> => core.call('POST', `${at}/manage/v1/imports/retry`, { ids });

/** Queues users with a password, in the order of their names; answers their ids. */
async function queue(...names: readonly string[]): Promise<string[]> {
  const users = names.map((name) => ({
    externalUserId: name,
    loginMethods: [{ recipeId: 'emailpassword', email: `${name}@example.com`, plainTextPassword: PASSWORD }],
  }));
  core.clock.now += 1;
  const { body } = await core.call('POST', '/bulk-import/users', { users });
  return (body['users'] as readonly { readonly id: string }[]).map(({ id }) => id);
}

/** Marks an entry as the worker would. */
async function fail(id: string): Promise<void> {
  const { store, directory } = core.services;
  const tenant = await directory.find({ cud: '', appId: 'public', tenantId: 'public' });
  await store.transact(async (tx) => {
    const entry = tenant && (await tx.get(queueEntries, [tenant.app, id]));
    if (!entry) throw new Error('there is no such entry');
    await tx.put(queueEntries, { ...entry, status: 'FAILED', errorMessage: 'E001: why', updatedAt: core.clock.now });
  });
}

describe('the queue, as operators see it', () => {
  test('names who waits, by what a person knows, and shows no secret', async () => {
    await queue('ann');
    core.clock.now += 1;
    const account = { recipeId: 'thirdparty', email: 'bob@example.com', thirdPartyId: 'google', thirdPartyUserId: 'g-1' };
    const phone = { recipeId: 'passwordless', phoneNumber: '+49 151 23456789', isPrimary: true };
    await core.call('POST', '/bulk-import/users', { users: [{ loginMethods: [account, phone], totpDevices: [{ secretKey: 'MFRGG' }] }] });
    const { body } = await list();
    const common = { id: expect.any(String), status: 'NEW', createdAt: expect.any(Number), updatedAt: expect.any(Number) };
    expect(body).toEqual({
      status: 'OK',
      imports: [
        { ...common, email: 'bob@example.com', phoneNumber: '+4915123456789', thirdPartyId: 'google', thirdPartyUserId: 'g-1' },
        { ...common, externalUserId: 'ann', email: 'ann@example.com' },
      ],
    });
    expect(JSON.stringify(body)).not.toMatch(/never-to-be-shown|MFRGG/);
  });

  test('comes page by page, and by status', async () => {
    const [first = '', second = '', third = ''] = await queue('a', 'b', 'c');
    await fail(second);
    const idsOf = ({ body }: InProcessAnswer) => (body['imports'] as readonly { readonly id: string }[]).map(({ id }) => id);
    expect(idsOf(await list('?status=FAILED'))).toEqual([second]);
    expect(idsOf(await list('?status=NEW')).toSorted()).toEqual([first, third].toSorted());
    const all: string[] = [];
    for (let token = ''; ; ) {
      const page = await list(`?limit=1${token}`);
      all.push(...idsOf(page));
      if (page.body['nextPaginationToken'] === undefined) break;
      token = `&paginationToken=${encodeURIComponent(String(page.body['nextPaginationToken']))}`;
    }
    expect(all.toSorted()).toEqual([first, second, third].toSorted());
  });

  test.each([
    ['?status=PROCESSING', 'status must be NEW or FAILED'],
    ['?limit=0', 'limit must be between 1 and 500'],
    ['?limit=501', 'limit must be between 1 and 500'],
    ['?paginationToken=x', 'invalid pagination token'],
  ])('%s is refused', async (query, text) => {
    const { status, body } = await list(query);
    expect({ status, text: String(body['text']).trimEnd() }).toEqual({ status: 400, text });
  });

  test('shows an entry whose user is damaged', async () => {
    const [id = ''] = await queue('a');
    const { store, directory } = core.services;
    const tenant = await directory.find({ cud: '', appId: 'public', tenantId: 'public' });
    await store.transact(async (tx) => {
      const entry = tenant && (await tx.get(queueEntries, [tenant.app, id]));
      if (entry) await tx.put(queueEntries, { ...entry, user: Buffer.from('7') });
    });
    expect((await list()).body['imports']).toEqual([expect.objectContaining({ id, status: 'NEW' })]);
  });
});

describe('another try', () => {
  test('queues those that failed, and leaves all others', async () => {
    const [waits = '', failed = '', other = ''] = await queue('a', 'b', 'c');
    await fail(failed);
    await fail(other);
    core.clock.now += 5;
    expect(await retry([failed, waits, 'nobody', failed])).toEqual({ status: 200, body: { status: 'OK', ids: [failed] } });
    const imports = (await list()).body['imports'] as readonly { readonly id: string }[];
    const again = imports.find(({ id }) => id === failed);
    expect(again).toMatchObject({ status: 'NEW', updatedAt: core.clock.now });
    expect(again).not.toHaveProperty('errorMessage');
    expect(imports.find(({ id }) => id === other)).toMatchObject({ status: 'FAILED', errorMessage: 'E001: why' });
    expect((await retry([failed])).body).toEqual({ status: 'OK', ids: [] });
  });

  test('reaches no queue of another app', async () => {
    const [id = ''] = await queue('a');
    await fail(id);
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'other' });
    expect((await retry([id], '/appid-other')).body).toEqual({ status: 'OK', ids: [] });
    expect((await list('', '/appid-other')).body['imports']).toEqual([]);
  });

  test('is asked for at most 500 at once', async () => {
    const { status, body } = await retry(Array.from({ length: 501 }, (_, at) => `${at}`));
    expect(`${status} ${String(body['text']).trimEnd()}`).toBe("400 Field name 'ids' cannot contain more than 500 elements");
    expect((await retry([''])).status).toBe(400);
    expect((await retry([])).body).toEqual({ status: 'OK', ids: [] });
  });
});
