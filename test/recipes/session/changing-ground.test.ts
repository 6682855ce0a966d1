import { beforeAll, describe, expect, test } from 'vitest';
import { thrownReply } from '../../../src/http/refusals.ts';
import { EndlessConflictError, retryWhileStale } from '../../../src/recipes/retry-while-stale.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { decode, type SessionAnswer } from './session-calls.ts';

/** What happens before each transaction of the request under test. */
const rival: { act: (() => Promise<unknown>) | undefined } = { act: undefined };

/** A store in which a rival comes first, whatever is to be written. */
async function contestedStore(): Promise<Store> {
  const store = await openStore({ engine: 'memory' });
  return {
    read: (body) => store.read(body),
    readShared: (body) => store.readShared(body),
    readPages: (body) => store.readPages(body),
    transact: async (body) => {
      const { act } = rival;
      rival.act = undefined;
      await act?.();
      rival.act = act;
      return store.transact(body);
    },
    stats: () => store.stats(),
    time: () => store.time(),
    readers: () => store.readers(),
    blockedBy: () => store.blockedBy(),
    close: () => store.close(),
  };
}

describe('a session whose claims change before every commit', () => {
  let core: InProcessCore;
  let written = 0;
  beforeAll(async () => {
    core = await openInProcessCore('5.6', [], await contestedStore());
  });

  const call = async (path: string, body: object): Promise<SessionAnswer> => {
    const answer = await core.call('POST', path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const answered: object = answer.body;
    return answered as SessionAnswer;
  };
  const create = () =>
    call('/recipe/session', {
      userId: 'u',
      userDataInJWT: { n: 0 },
      userDataInDatabase: {},
      enableAntiCsrf: false,
      useDynamicSigningKey: true,
    });
  const changeClaims = (sessionHandle: string) => (): Promise<unknown> =>
    core.call('PUT', '/recipe/jwt/data', { sessionHandle, userDataInJWT: { n: (written += 1) } });
  const claimsOf = async (sessionHandle: string): Promise<unknown> =>
    (await core.call('GET', `/recipe/session?sessionHandle=${sessionHandle}`)).body['userDataInJWT'];

  test('is refreshed with claims of a moment of the request, and keeps the newest', async () => {
    const { session, refreshToken } = await create();
    const handle = String(session?.handle);
    rival.act = changeClaims(handle);
    const before = written;
    const answer = await call('/recipe/session/refresh', {
      refreshToken: refreshToken?.token,
      enableAntiCsrf: false,
      useDynamicSigningKey: true,
    });
    rival.act = undefined;
    expect(answer.status).toBe('OK');
    // Three strict attempts, and a fourth that keeps the claims of its beginning, which the third rival had written.
    expect(decode(String(answer.accessToken?.token)).claims['n']).toBe(before + 3);
    expect(answer.session?.userDataInJWT).toEqual({ n: before + 3 });
    expect(await claimsOf(handle)).toEqual({ n: written });
    expect(
      (
        await call('/recipe/session/refresh', {
          refreshToken: answer.refreshToken?.token,
          enableAntiCsrf: false,
          useDynamicSigningKey: true,
        })
      ).status,
    ).toBe('OK');
  });

  test('is regenerated with its own claims without a write, and with given ones in one', async () => {
    const { session, accessToken } = await create();
    const handle = String(session?.handle);
    rival.act = changeClaims(handle);
    const before = written;
    const own = await call('/recipe/session/regenerate', { accessToken: accessToken?.token });
    expect(own.session?.userDataInJWT).toEqual({ n: 0 });
    expect(written).toBe(before);
    const given = await call('/recipe/session/regenerate', { accessToken: accessToken?.token, userDataInJWT: { given: true } });
    rival.act = undefined;
    expect(decode(String(given.accessToken?.token)).claims['given']).toBe(true);
    expect(await claimsOf(handle)).toEqual({ given: true });
    expect(written).toBe(before + 1);
  });
});

describe('what stays stale', () => {
  test('ends after ten attempts, three of them strict, with a 503 that says when to come again', async () => {
    const strict: boolean[] = [];
    const trying = retryWhileStale<{ status: string }>(async (isStrict) => {
      strict.push(isStrict);
      return 'stale';
    });
    const error: unknown = await trying.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EndlessConflictError);
    expect(strict).toEqual([true, true, true, ...Array<boolean>(7).fill(false)]);
    expect(thrownReply(error)).toMatchObject({ status: 503, headers: [['Retry-After', '1']] });
  });
});
