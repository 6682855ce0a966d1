import { describe, expect, test } from 'vitest';
import { totpCode } from '../totp-code.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { create, decode, type SessionAnswer, tryRefresh } from '../recipes/session/session-calls.ts';
import { withCore } from '../with-core.ts';

/** As many clients write without a pause what a request works on. */
const WRITERS = 12;
const ROTATING = { cdi: '5.6' };

/** Runs `work` while twelve clients call `write` one time after the other; each of their calls must be answered 200. */
async function beside<T>(
  write: (writer: number, round: number) => Promise<{ readonly status: number }>,
  work: () => Promise<T>,
): Promise<T> {
  const state = { isOver: false };
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let round = 0; !state.isOver; round += 1) expect((await write(writer, round)).status).toBe(200);
  });
  try {
    return await work();
  } finally {
    state.isOver = true;
    await Promise.all(writers);
  }
}

describe('beside twelve clients that write without a pause', () => {
  let client: CdiClient;
  withCore({ env: { REFRESH_TOKEN_ROTATION_GRACE_PERIOD: '300' } }, (core) => {
    client = cdiClient(core.url);
  });

  const putClaims = (sessionHandle: string, writer: number, round: number) =>
    client.put('/recipe/jwt/data', { sessionHandle, userDataInJWT: { writer, round } });

  test('a thousand refreshes of a session are OK, whose claims they write', { timeout: 240_000 }, async () => {
    const session = await create(client, 'refreshed', {}, ROTATING);
    await beside(
      (writer, round) => putClaims(session.handle, writer, round),
      // Within the grace period the token can be exchanged again and again.
      () => Promise.all(Array.from({ length: 10 }, () => exchange(session.refresh, 100))),
    );
    // No refresh has put older claims back, and what was acknowledged before a refresh begins is in its token.
    await client.put('/recipe/jwt/data', { sessionHandle: session.handle, userDataInJWT: { last: true } });
    expect((await tryRefresh(client, session.refresh, {}, ROTATING)).body.session?.userDataInJWT).toEqual({ last: true });
  });

  async function exchange(token: string, times: number): Promise<void> {
    for (let done = 0; done < times; done += 1) {
      const { status, body, text } = await tryRefresh(client, token, {}, ROTATING);
      expect({ status, is: body.status }, text).toEqual({ status: 200, is: 'OK' });
    }
  }

  test('every regenerated token is OK, with claims of its own and with those of the session', { timeout: 60_000 }, async () => {
    const session = await create(client, 'regenerated');
    await beside(
      (writer, round) => putClaims(session.handle, writer, round),
      async () => {
        for (let times = 0; times < 100; times += 1) {
          const own = times % 2 === 0 ? {} : { userDataInJWT: { own: times } };
          const { status, body, text } = await client.post<SessionAnswer>('/recipe/session/regenerate', {
            accessToken: session.access,
            ...own,
          });
          expect({ status, is: body.status }, text).toEqual({ status: 200, is: 'OK' });
          const { claims } = decode(String(body.accessToken?.token));
          if (times % 2 === 0)
            expect(body.session?.userDataInJWT).toMatchObject(claims['writer'] === undefined ? {} : { writer: claims['writer'] });
          else expect(claims['own']).toBe(times);
        }
      },
    );
  });

  test('every TOTP code is judged, of users whose devices they change', { timeout: 60_000 }, async () => {
    const fields = { skew: 1, period: 100_000 };
    const users = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const userId = `totp-${at}`;
        const made = await client.post<{ readonly secret: string }>('/recipe/totp/device', { userId, deviceName: 'own', ...fields });
        return { userId, code: totpCode({ ...fields, secret: made.body.secret }, Date.now()) ?? '' };
      }),
    );
    const change = (userId: string, writer: number) =>
      client.post('/recipe/totp/device', { userId, deviceName: `of ${writer}`, ...fields });
    for (const { userId, code } of users) {
      const proven = await beside(
        (writer) => change(userId, writer),
        () => client.post('/recipe/totp/device/verify', { userId, deviceName: 'own', totp: code }),
      );
      expect({ status: proven.status, ...proven.body }).toEqual({ status: 'OK', wasAlreadyVerified: false });
      const again = await beside(
        (writer) => change(userId, writer),
        () => client.post('/recipe/totp/verify', { userId, totp: code }),
      );
      // The code was used: it is judged, and found to be none.
      expect(again.body['status'], again.text).toBe('INVALID_TOTP_ERROR');
    }
  });
});
