import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { headersOf, SOON, withHookedCore } from './hooked-core.ts';

const { receiver, signUp, add } = withHookedCore();

test('what arrives is a Standard Webhook: its library takes it, and nothing that was changed', async () => {
  const { secret } = await add(['user.created']);
  const userId = await signUp('ann@example.com');
  await expect.poll(() => receiver().received.length, SOON).toBe(1);
  const [one] = receiver().received;
  const headers = one ? headersOf(one) : {};
  const body = one?.body ?? '';
  const peer = new Webhook(secret);
  expect(peer.verify(body, headers)).toMatchObject({
    type: 'user.created',
    timestamp: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
    data: { id: headers['webhook-id'], userId, appId: 'public', tenantId: 'public', via: 'POST /recipe/signup' },
  });
  expect(body).not.toContain('ann@example.com');
  expect(headers).toMatchObject({ 'content-type': 'application/json' });
  const changed: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    [body.replace('public', 'others'), headers],
    [body, { ...headers, 'webhook-id': 'other' }],
    [body, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }],
  ];
  for (const [text, said] of changed) expect(() => peer.verify(text, said)).toThrow('No matching signature found');
  expect(() => peer.verify(body, { ...headers, 'webhook-timestamp': '1700000000' })).toThrow('Message timestamp too old');
});
