import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../src/config/limits.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

/** `POST /recipe/jwt`: what it signs must not pass for a session anywhere, SDKs included, which verify by themselves. */
let core: InProcessCore;
beforeAll(async () => {
  core = await openInProcessCore('5.4');
});

const sign = (payload: object, more: object = {}): Promise<InProcessAnswer> =>
  core.call('POST', '/recipe/jwt', { algorithm: 'RS256', jwksDomain: 'https://example.com', payload, validity: 100, ...more });

test.each([true, false])('a payload with both members of a session is refused (static key: %s)', async (useStaticSigningKey) => {
  const payload = { sub: 'victim', sessionHandle: 'h', refreshTokenHash1: null };
  expect(await sign(payload, { useStaticSigningKey })).toEqual({
    status: 400,
    body: { text: 'The user payload contains protected field\n' },
  });
});

test('with one of them, or with both further down, it is signed', async () => {
  for (const payload of [{ sessionHandle: 'h' }, { refreshTokenHash1: 'h' }, { a: { sessionHandle: 'h', refreshTokenHash1: 'h' } }]) {
    expect((await sign(payload)).body).toMatchObject({ status: 'OK' });
  }
});

test('a payload over the limits is refused by name', async () => {
  const text = `Field name 'payload' must not be larger than ${LIMITS.freeFormBytes} bytes\n`;
  expect(await sign({ a: 'x'.repeat(LIMITS.freeFormBytes) })).toEqual({ status: 400, body: { text } });
  expect((await sign({ a: Array.from({ length: LIMITS.bodyParts }, () => []) })).status).toBe(413);
  expect((await sign({ a: 'x'.repeat(LIMITS.freeFormBytes - 8) })).body).toMatchObject({ status: 'OK' });
});
