import { describe, expect, test } from 'vitest';
import { type CallOptions, type CdiClient, cdiClient } from '../cdi-client.ts';
import { cbor, SoftwareAuthenticator, type Twist } from '../software-authenticator.ts';
import { withCore } from '../with-core.ts';

const PATH = '/recipe/webauthn';
const PARTY = { relyingPartyName: 'Example', relyingPartyId: 'example.com', origin: 'https://example.com', timeout: 60_000 };
const AT_ONCE = 50;

interface Asked {
  readonly webauthnGeneratedOptionsId: string;
  readonly challenge: string;
}

interface Answer {
  readonly status: string;
  readonly reason?: string;
  readonly recipeUserId?: string;
}

let client: CdiClient;
let count = 0;
withCore({}, (core) => {
  client = cdiClient(core.url);
});

const freshEmail = (): string => `key-${(count += 1)}@example.com`;
const ask = async (kind: 'register' | 'signin', options?: CallOptions): Promise<Asked> => {
  const body = kind === 'register' ? { ...PARTY, email: freshEmail() } : PARTY;
  return (await client.post<Asked>(`${PATH}/options/${kind}`, body, options)).body;
};
const send = async (path: string, { webauthnGeneratedOptionsId }: Asked, credential: unknown, more: object = {}, options?: CallOptions) => {
  const { status, body, text } = await client.post<Answer>(PATH + path, { webauthnGeneratedOptionsId, credential, ...more }, options);
  expect(status, text).toBe(200);
  return body;
};

async function join(key = new SoftwareAuthenticator()): Promise<{ readonly key: SoftwareAuthenticator; readonly id: string }> {
  const asked = await ask('register');
  const { recipeUserId = '' } = await send('/signup', asked, key.create(asked));
  return { key, id: recipeUserId };
}

const many = <T>(work: (at: number) => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: AT_ONCE }, (_, at) => work(at)));
const credentialsOf = async (recipeUserId: string) =>
  (await client.get<{ credentials: readonly object[] }>(`${PATH}/user/credential/list`, { recipeUserId })).body.credentials;

describe('many at once', () => {
  test('of fifty sign-ins with one counter one succeeds, whatever the version', async () => {
    const { key } = await join();
    for (const [cdi, counter] of [
      ['5.4', 10],
      ['5.6', 20],
    ] as const) {
      const asked = await ask('signin', { cdi });
      const answer = key.get(asked, { counter });
      const outcomes = await many(() => send('/signin', asked, answer, {}, { cdi }));
      expect(outcomes.filter(({ status }) => status === 'OK')).toHaveLength(1);
      const refused = cdi === '5.4' ? /^INVALID_AUTHENTICATOR_ERROR$/ : /^(?:INVALID_AUTHENTICATOR_ERROR|OPTIONS_NOT_FOUND_ERROR)$/;
      for (const { status } of outcomes.filter((each) => each.status !== 'OK')) expect(status).toMatch(refused);
    }
  });

  test('of fifty with one challenge one succeeds, though the authenticator does not count', async () => {
    const { key } = await join(new SoftwareAuthenticator({ counts: false }));
    const asked = await ask('signin');
    const answer = key.get(asked);
    const outcomes = await many(() => send('/signin', asked, answer, {}, { cdi: '5.5' }));
    expect(outcomes.map(({ status }) => status).filter((status) => status === 'OK')).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 'OPTIONS_NOT_FOUND_ERROR')).toHaveLength(AT_ONCE - 1);
  });

  test('fifty counters, however they come, leave the greatest', async () => {
    const { key } = await join();
    const asked = await ask('signin');
    const outcomes = await many((at) => send('/signin', asked, key.get(asked, { counter: 100 + at })));
    expect(outcomes.some(({ status }) => status === 'OK')).toBe(true);
    const last = 100 + AT_ONCE - 1;
    expect((await send('/signin', asked, key.get(asked, { counter: last }))).status).toBe('INVALID_AUTHENTICATOR_ERROR');
    expect((await send('/signin', asked, key.get(asked, { counter: last + 1 }))).status).toBe('OK');
  });

  test('a passkey is registered once, for whomever', async () => {
    const members = await Promise.all(Array.from({ length: 5 }, () => join()));
    const asked = await ask('register');
    const credential = new SoftwareAuthenticator().create(asked);
    const outcomes = await many((at) => send('/user/credential/register', asked, credential, { recipeUserId: members[at % 5]?.id }));
    expect(outcomes.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 'CREDENTIAL_ALREADY_EXISTS_ERROR')).toHaveLength(AT_ONCE - 1);
    const owned = await Promise.all(members.map(({ id }) => credentialsOf(id)));
    expect(owned.flat()).toHaveLength(6);
  });

  test('a passkey signs up one user, an email one passkey', async () => {
    const [one, credential] = [await ask('register'), new SoftwareAuthenticator()];
    const statuses = (await many(() => send('/signup', one, credential.create(one)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'OK')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'EMAIL_ALREADY_EXISTS_ERROR')).toHaveLength(AT_ONCE - 1);
    const key = new SoftwareAuthenticator();
    const outcomes = await many(async () => {
      const asked = await ask('register');
      return send('/signup', asked, key.create(asked));
    });
    expect(outcomes.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(outcomes.filter(({ reason }) => reason === 'The credential is already registered')).toHaveLength(AT_ONCE - 1);
  });

  test('passkeys that are added and removed leave as many as the user shows', async () => {
    const { id, key } = await join();
    const asked = await ask('register');
    const keys = Array.from({ length: 20 }, () => new SoftwareAuthenticator());
    await Promise.all(keys.map((each) => send('/user/credential/register', asked, each.create(asked), { recipeUserId: id })));
    const remove = (webauthnCredentialId: string) =>
      client.call('DELETE', `${PATH}/user/credential/remove`, undefined, { query: { recipeUserId: id, webauthnCredentialId } });
    await Promise.all([...keys.slice(0, 10), key].map((each) => remove(each.id)));
    const { user } = (await client.get<{ user: { webauthn: { credentialIds: string[] } } }>('/user/id', { userId: id })).body;
    const expected = keys.slice(10).map((each) => each.id);
    expect(user.webauthn.credentialIds.toSorted()).toEqual(expected.toSorted());
    expect(await credentialsOf(id)).toHaveLength(10);
  });

  test('a recovery token is used up once', async () => {
    const { id } = await join();
    const { body } = await client.post<{ token: string }>(`${PATH}/user/recover/token`, { userId: id, email: 'r@example.com' });
    const outcomes = await many(() => client.post<Answer>(`${PATH}/user/recover/token/consume`, { token: body.token }));
    expect(outcomes.filter((each) => each.body.status === 'OK')).toHaveLength(1);
    expect(outcomes.filter((each) => each.body.status === 'RECOVER_ACCOUNT_TOKEN_INVALID_ERROR')).toHaveLength(AT_ONCE - 1);
  });
});

const FORM = 'Input data does not match expected form';
const wrap = (authData: Uint8Array, format: unknown = 'none', statement: unknown = new Map()) =>
  cbor(
    new Map<string, unknown>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authData],
    ]),
  );
/** Text with what must not be in it put in place of the innocent empty map of a statement. */
const bomb = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from('a363666d74646e6f6e656761747453746d74', 'hex'), bytes, Buffer.from('6861757468446174614100', 'hex')]);

describe('what authenticators never make', () => {
  test.each([
    ['deep lists', bomb(Buffer.concat([Buffer.alloc(30_000, 0x81), Buffer.of(0)]))],
    ['deep maps', bomb(Buffer.alloc(30_000, 0xa1))],
    ['a list that says it has four thousand million items', bomb(Buffer.from('9affffffff', 'hex'))],
    ['a map of more pairs than there are numbers', bomb(Buffer.from('bbffffffffffffffff', 'hex'))],
    ['bytes of four GiB', bomb(Buffer.from('5affffffff', 'hex'))],
    ['a map of indefinite length', bomb(Buffer.from('bfff', 'hex'))],
    ['a tag', bomb(Buffer.from('c2a0', 'hex'))],
    ['a key twice', Buffer.from('a463666d74646e6f6e6563666d74646e6f6e656761747453746d74a06861757468446174614100', 'hex')],
    ['bytes behind the end', Buffer.concat([wrap(new Uint8Array(37)), Buffer.of(0)])],
    ['an unknown format', wrap(new Uint8Array(37), 'compound')],
    ['a list as statement', wrap(new Uint8Array(37), 'none', [])],
    ['short authenticator data', wrap(new Uint8Array(36))],
    ['authenticator data of text', wrap('x' as unknown as Uint8Array)],
    ['nothing', Buffer.alloc(0)],
  ])('%s', async (_, attestationObject) => {
    const asked = await ask('register');
    const right = new SoftwareAuthenticator().create(asked);
    const credential = { ...right, response: { ...right.response, attestationObject: attestationObject.toString('base64url') } };
    expect(await send('/signup', asked, credential)).toEqual({ status: 'INVALID_CREDENTIALS_ERROR', reason: FORM });
  });

  test.each<readonly [string, Twist]>([
    ['a key that is cut off', { coseKey: Buffer.from('a501020326200121', 'hex') }],
    [
      'a point that is not on the curve',
      {
        coseKey: cbor(
          new Map<number, unknown>([
            [1, 2],
            [3, -7],
            [-1, 1],
            [-2, new Uint8Array(32)],
            [-3, new Uint8Array(32)],
          ]),
        ),
      },
    ],
    ['bytes behind the key', { tail: Buffer.of(0) }],
    ['a list as extensions', { flags: 0xc5, tail: cbor([]) }],
    ['bytes behind the extensions', { flags: 0xc5, tail: Buffer.from('a000', 'hex') }],
    ['a flag of extensions with nothing behind it', { flags: 0xc5 }],
  ])('%s', async (_, twist) => {
    const asked = await ask('register');
    const answer = await send('/signup', asked, new SoftwareAuthenticator().create(asked, twist));
    expect(answer).toEqual({ status: 'INVALID_CREDENTIALS_ERROR', reason: FORM });
  });

  test('ECDSA signatures whose numbers are out of range, or that are no DER', async () => {
    const { key } = await join();
    const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
    const der = (r: string, s: string): Buffer => {
      const number = (hex: string) => `02${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
      const both = number(r) + number(s);
      return Buffer.from(`30${(both.length / 2).toString(16).padStart(2, '0')}${both}`, 'hex');
    };
    const wrong = [
      der('00', '00'),
      der('01', '00'),
      der(`00${order}`, '01'),
      der('01', `00${order}`),
      der('ff', '01'),
      Buffer.alloc(64, 1),
      Buffer.alloc(0),
    ];
    const asked = await ask('signin');
    for (const signature of wrong)
      expect(await send('/signin', asked, key.get(asked, { signature }))).toEqual({
        status: 'INVALID_AUTHENTICATOR_ERROR',
        reason: 'Assertion signature is not valid.',
      });
    const right = key.get(asked);
    const trailing = Buffer.concat([Buffer.from(right.response.signature, 'base64url'), Buffer.of(0)]).toString('base64url');
    expect((await send('/signin', asked, { ...right, response: { ...right.response, signature: trailing } })).status).toBe(
      'INVALID_AUTHENTICATOR_ERROR',
    );
    expect((await send('/signin', asked, right)).status).toBe('OK');
  });

  test('a credential over the limit of free-form members is a refusal', async () => {
    const { status } = await client.post(`${PATH}/signup`, { webauthnGeneratedOptionsId: 'x', credential: { id: 'a'.repeat(70_000) } });
    expect(status).toBe(400);
  });
});
