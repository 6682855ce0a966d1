import { beforeEach, describe, expect, test } from 'vitest';
import { oldestPending } from '../../../src/recipes/audit/seal.ts';
import { type InProcessCallOptions, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';

const WEBHOOKS = '/manage/v1/webhooks';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

let core: InProcessCore;

beforeEach(async () => {
  core = await openInProcessCore('5.4');
});

const call = (method: string, path: string, body?: object, options?: InProcessCallOptions) =>
  checkedCall(core, method, path, body, options);

const add = (more: object = {}) => call('POST', WEBHOOKS, { url: 'https://example.com/hook', kinds: ['user.*'], ...more });

async function refusal(path: string, body: object): Promise<string> {
  const { status, body: answer } = await call('POST', `${WEBHOOKS}${path}`, body);
  return `${status} ${String(answer['text']).trimEnd()}`;
}

async function added(more: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, body } = await add(more);
  expect(status).toBe(200);
  return { id: (body['webhook'] as { id: string }).id, secret: String(body['secret']) };
}

describe('a new webhook', () => {
  test('is shown with its secret this once', async () => {
    const { body } = await add({ description: 'CRM', kinds: ['user.*', 'user.*', 'session.theft'] });
    expect(body).toEqual({
      status: 'OK',
      secret: expect.stringMatching(SECRET),
      webhook: {
        id: expect.stringMatching(/^wh_[0-9a-f]{20}$/),
        url: 'https://example.com/hook',
        kinds: ['user.*', 'session.theft'],
        tenantId: null,
        description: 'CRM',
        isEnabled: true,
        disabledBecause: null,
        createdAt: core.clock.now,
        oldSecretUntil: null,
        position: 0,
        queued: 0,
        deadLetters: 0,
        lastDeliveredAt: null,
        failingSince: null,
        restsUntil: null,
      },
    });
    const { text } = await core.send('GET', WEBHOOKS, '');
    expect(text).toContain('example.com');
    expect(text).not.toContain('whsec_');
  });

  test('may bring its secret', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    expect((await added({ secret })).secret).toBe(secret);
    for (const wrong of [
      'secret',
      'whsec_',
      `whsec_${Buffer.alloc(23).toString('base64')}`,
      `whsec_${Buffer.alloc(65).toString('base64')}`,
      `${secret} x`,
    ])
      expect(await refusal('', { url: 'https://example.com', kinds: ['*'], secret: wrong })).toBe(
        '400 secret must be whsec_ and 24 to 64 bytes in base64',
      );
  });

  test('is refused where it is wrong at first sight', async () => {
    expect(await refusal('', { url: 'http://example.com', kinds: ['*'] })).toBe('400 url must begin with https://');
    expect(await refusal('', { url: 'https://169.254.169.254/', kinds: ['*'] })).toMatch(/^400 url leads to an address that is not public/);
    expect(await refusal('', { url: 'https://u:p@example.com', kinds: ['*'] })).not.toContain('u:p');
    expect(await refusal('', { url: 'https://example.com', kinds: ['user.creatd'] })).toMatch(
      /^400 There is no kind of event 'user.creatd'/,
    );
    expect(await refusal('', { url: 'https://example.com', kinds: ['user*'] })).toMatch(/^400 There is no kind/);
    expect(await refusal('', { url: 'https://example.com', kinds: [] })).toBe('400 kinds must be 1 to 100 kinds of events');
    expect(await refusal('', { url: 'https://example.com', kinds: ['*'], tenantId: 'nobody' })).toBe(
      "400 There is no tenant 'nobody' in this app",
    );
    expect(await refusal('', { url: 'https://example.com', kinds: ['*'], description: 'a'.repeat(257) })).toMatch(/^400 description/);
    expect(await refusal('', { url: 'https://example.com' })).toBe("400 Field name 'kinds' is invalid in JSON input");
  });

  test('there are 50 in an app at most', async () => {
    for (let at = 0; at < 50; at += 1) await added();
    expect(await refusal('', { url: 'https://example.com', kinds: ['*'] })).toBe('400 An app has at most 50 webhooks; remove some first');
  });

  test('there is none without a trail', async () => {
    core = await openInProcessCore('5.4', { AUDIT_TRAIL: 'false' });
    expect(await refusal('', { url: 'https://example.com', kinds: ['*'] })).toMatch(/audit_trail/);
  });
});

describe('changes', () => {
  test('of what is given, and of nothing else', async () => {
    const { id } = await added({ description: 'CRM' });
    const { body } = await call('POST', `${WEBHOOKS}/update`, { id, kinds: ['role.written'], isEnabled: false });
    expect(body).toMatchObject({
      status: 'OK',
      webhook: { url: 'https://example.com/hook', kinds: ['role.written'], description: 'CRM', isEnabled: false },
    });
    expect(await refusal('/update', { id, url: 'https://10.0.0.1/' })).toMatch(/not public/);
    expect(body).not.toHaveProperty('secret');
  });

  test('of the secret: the one before signs for a while, and no third', async () => {
    const { id, secret } = await added();
    const { body } = await call('POST', `${WEBHOOKS}/rotate-secret`, { id });
    expect(body).toEqual({ status: 'OK', secret: expect.stringMatching(SECRET), oldSecretUntil: core.clock.now + 86_400_000 });
    expect(body['secret']).not.toBe(secret);
    const until = (await call('GET', WEBHOOKS)).body['webhooks'];
    expect(until).toMatchObject([{ oldSecretUntil: core.clock.now + 86_400_000 }]);
    expect(await refusal('/rotate-secret', { id, overlapMs: -1 })).toBe('400 overlapMs must be between 0 and 2592000000');
    await call('POST', `${WEBHOOKS}/rotate-secret`, { id, overlapMs: 0 });
    expect((await call('GET', WEBHOOKS)).body['webhooks']).toMatchObject([{ oldSecretUntil: null }]);
  });

  test('of one that is not there', async () => {
    const unknown = { status: 'UNKNOWN_WEBHOOK_ERROR' };
    const { id } = await added();
    await call('PUT', '/recipe/multitenancy/app/v2', { appId: 'other' });
    const elsewhere = `/appid-other${WEBHOOKS}`;
    for (const [path, more] of [
      ['/update', {}],
      ['/rotate-secret', {}],
      ['/test', {}],
      ['/replay', { deadLetters: true }],
    ] as const)
      expect((await call('POST', `${elsewhere}${path}`, { id, ...more })).body).toEqual(unknown);
    for (const path of ['/deliveries', '/dead-letters']) expect((await call('GET', `${elsewhere}${path}?id=${id}`)).body).toEqual(unknown);
    expect((await call('POST', `${elsewhere}/remove`, { id })).body).toEqual({ status: 'OK', didExist: false });
  });

  test('each leaves an event, without secrets', async () => {
    const { id, secret } = await added();
    await call('POST', `${WEBHOOKS}/update`, { id, isEnabled: false });
    await call('POST', `${WEBHOOKS}/rotate-secret`, { id });
    await call('POST', `${WEBHOOKS}/replay`, { id, position: 1 });
    await call('POST', `${WEBHOOKS}/remove`, { id });
    const events = await core.services.store.read((reader) => oldestPending(reader, 100));
    const texts = events.map(({ text }) => text);
    expect(texts.map((text) => (JSON.parse(text) as { kind: string }).kind).filter((kind) => kind.startsWith('webhook.'))).toEqual([
      'webhook.created',
      'webhook.changed',
      'webhook.secret-rotated',
      'webhook.replayed',
      'webhook.removed',
    ]);
    expect(texts.join('')).not.toContain(secret.slice('whsec_'.length));
    expect(texts.join('')).not.toContain('whsec_');
  });
});

describe('replay', () => {
  test('takes exactly one of its ways, and places that there are', async () => {
    const { id } = await added();
    for (const body of [{ id }, { id, position: 1, since: 1 }, { id, deadLetters: true, sequence: 1 }, { id, deadLetters: false }])
      expect(await refusal('/replay', body)).toBe('400 Give exactly one of sequence, deadLetters, position, since');
    expect(await refusal('/replay', { id, position: 0 })).toBe('400 position must be between 1 and 1');
    expect(await refusal('/replay', { id, position: 2 })).toBe('400 position must be between 1 and 1');
    expect((await call('POST', `${WEBHOOKS}/replay`, { id, since: 0 })).body).toEqual({ status: 'OK', position: 1 });
  });
});

describe('who may what', () => {
  test('read to look, keys to change', async () => {
    const all = 'configured-key-of-20-characters';
    core = await openInProcessCore('5.4', { API_KEYS: all });
    const keyFor = async (scope: string): Promise<string> =>
      String((await call('POST', '/manage/v1/api-keys', { name: scope, scopes: [scope] }, { apiKey: all })).body['key']);
    const reading = await keyFor('read');
    const keys = await keyFor('keys');
    expect((await call('GET', WEBHOOKS, undefined, { apiKey: reading })).status).toBe(200);
    const body = { url: 'https://example.com', kinds: ['*'] };
    expect((await call('POST', WEBHOOKS, body, { apiKey: reading })).status).toBe(403);
    expect((await call('POST', WEBHOOKS, body, { apiKey: keys })).status).toBe(200);
    expect((await call('POST', `${WEBHOOKS}/test`, { id: 'x' }, { apiKey: reading })).status).toBe(403);
  });

  test('of an app, addressed by the app alone', async () => {
    await call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    expect((await call('GET', `/t1${WEBHOOKS}`)).status).toBe(403);
  });
});
