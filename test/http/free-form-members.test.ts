import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/config/limits.ts';
import { OPTION_NAMES } from '../../src/config/options.ts';
import { treesEqual } from '../../src/json/equality.ts';
import { isJsonObject, type JsonObject, type JsonTree, parseJson, toJsonText } from '../../src/json/free-form.ts';
import { MemoryEngine } from '../../src/store/memory.ts';
import { EngineStore } from '../../src/store/transactions.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { bodyWith, FREE_FORM, type FreeFormMember, type Given, startSession } from './free-form.ts';

/*
 * Every free-form member of every endpoint, found in the schemas, with JSON of every type: what may not stand there is refused in the contract's
 * words and changes nothing, what is taken comes back as it was, and afterwards the member can be written again.
 */

const RUNS = { numRuns: 40, seed: 20_261_121 };

/** JSON texts by type; among the numbers those that no double holds, which once passed for objects. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  object: [
    '{}',
    '{"a":1e400,"b":[{"c":123456789012345678901234567890,"d":-12345678.12345678901234}]}',
    '{"__proto__":{"x":1},"constructor":-0}',
  ],
  array: ['[]', '[1e400]', '[{}]'],
  string: ['""', '"1e400"', '"{}"'],
  number: [
    '1e400',
    '-1e400',
    '123456789012345678901234567890',
    '9223372036854775807',
    '-0',
    '1.0000000000000000001',
    '123456789012345.123456789012345',
    '5e-400',
    '7',
  ],
  boolean: ['true', 'false'],
  null: ['null'],
};
const samplesOf = (types: readonly string[]): readonly string[] => types.flatMap((type) => SAMPLES[type] ?? []);
const samplesBut = (types: readonly string[]): readonly string[] => samplesOf(Object.keys(SAMPLES).filter((type) => !types.includes(type)));

/** Names that tokens keep for themselves, or read in their own way. */
const RESERVED = new Set(['sub', 'exp', 'iat', 'iss', 'aud', 'sessionHandle', 'refreshTokenHash1', 'antiCsrfToken', 'tId', 'rsub']);
const names = fc
  .oneof(fc.constantFrom('__proto__', 'constructor', '', '"', '0', 'a'), fc.string({ unit: 'grapheme', maxLength: 6 }))
  .filter((name) => !RESERVED.has(name));
/** JSON text of an object with members of every type. */
const { object: objects } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...samplesOf(['number', 'boolean', 'null', 'string'])),
    fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(names, tie('value')), { maxLength: 4, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
}));

const engine = new MemoryEngine({});
let core: InProcessCore;
let given: Given = {};

beforeAll(async () => {
  core = await openInProcessCore('5.4', [], new EngineStore(engine));
  given = await startSession(core);
});

const put = (member: FreeFormMember, value: string) => core.send(member.method, member.path, bodyWith(member, value, given));
const get = async (path: string): Promise<JsonTree> => parseJson((await core.send('GET', path, '')).text);

/** What stands under a path of names in an answer. */
const inside = (tree: JsonTree | undefined, ...path: readonly string[]): JsonTree | undefined =>
  path.reduce<JsonTree | undefined>((found, name) => (isJsonObject(found) ? found[name] : undefined), tree);

/** Every entry of the store. */
async function everything(): Promise<readonly string[]> {
  const snapshot = engine.snapshot();
  const entries = await snapshot.range({ start: Buffer.alloc(0), end: Buffer.alloc(9, 0xff), limit: 100_000, reverse: false });
  snapshot.release();
  return entries.map(({ key, value }) => `${Buffer.from(key).toString('hex')}=${Buffer.from(value).toString('hex')}`);
}

const withoutNulls = (tree: JsonTree): JsonTree => {
  const members = isJsonObject(tree) ? Object.entries(tree) : [];
  return Object.fromEntries(members.filter(([, value]) => value !== null));
};

/** Where any object is taken, and how it is read back. */
interface Kept {
  readonly before?: () => Promise<unknown>;
  readonly read: (answer: JsonTree) => JsonTree | undefined | Promise<JsonTree | undefined>;
  /** What is sent, where the object is only a part of it. */
  readonly carry?: (object: string) => string;
  /** What comes back, where it is not all that was sent. */
  readonly shown?: (sent: JsonTree) => JsonTree;
  /** Tokens hold no integers beyond 64 bits. */
  readonly isSigned?: boolean;
}

const session = async (...path: readonly string[]) => inside(await get(`/recipe/session?sessionHandle=${given['sessionHandle']}`), ...path);
const payloadOf = (jwt: JsonTree | undefined): JsonTree => {
  const {
    iat: _,
    exp: __,
    iss: ___,
    ...own
  } = parseJson(Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
  return own;
};
const providerOf = async (): Promise<JsonTree | undefined> => {
  const providers = inside(await get('/recipe/multitenancy/tenant/v2'), 'thirdParty', 'providers');
  return Array.isArray(providers) ? providers[0] : undefined;
};

const KEPT: Readonly<Record<string, Kept>> = {
  'user-metadata/put-metadata.metadataUpdate': {
    before: () => core.call('POST', '/recipe/user/metadata/remove', { userId: 'x' }),
    read: async () => inside(await get('/recipe/user/metadata?userId=x'), 'metadata'),
    shown: withoutNulls,
  },
  'management/replace-metadata.metadata': {
    before: () => core.call('POST', '/recipe/user/metadata/remove', { userId: 'x' }),
    read: async () => inside(await get('/recipe/user/metadata?userId=x'), 'metadata'),
  },
  'session/create-session.userDataInJWT': { read: (answer) => inside(answer, 'session', 'userDataInJWT'), isSigned: true },
  'session/create-session.userDataInDatabase': {
    read: async (answer) => {
      const handle = inside(answer, 'session', 'handle');
      return inside(await get(`/recipe/session/data?sessionHandle=${String(handle)}`), 'userDataInDatabase');
    },
  },
  'session/put-jwt-data.userDataInJWT': { read: () => session('userDataInJWT'), isSigned: true },
  'session/put-session-data.userDataInDatabase': { read: () => session('userDataInDatabase') },
  'session/regenerate-session.userDataInJWT': { read: () => session('userDataInJWT'), isSigned: true },
  'jwt/create-jwt.payload': { read: (answer) => payloadOf(inside(answer, 'jwt')), isSigned: true },
  'multitenancy/put-third-party-config.config': {
    carry: (object) => `{"thirdPartyId":"x","clients":[{"clientId":"c"}],"tokenEndpointBodyParams":${object}}`,
    read: async () => inside(await providerOf(), 'tokenEndpointBodyParams'),
  },
};

/** Where only certain members or items are taken. */
const READ_BY_VERB = new Set([
  'bulk-import/add-users.users',
  'bulk-import/import-now.externalUserId',
  'bulk-import/import-now.externalUserIdInfo',
  'bulk-import/import-now.isDisabled',
  'bulk-import/import-now.loginMethods',
  'bulk-import/import-now.totpDevices',
  'bulk-import/import-now.userMetadata',
  'bulk-import/import-now.userRoles',
  'dashboard/update-user.email',
  'dashboard/update-user.userId',
  'management/replace-metadata.expected',
  'multitenancy/put-app-v2.coreConfig',
  'multitenancy/put-app.coreConfig',
  'multitenancy/put-connection-uri-domain-v2.coreConfig',
  'multitenancy/put-connection-uri-domain.coreConfig',
  'multitenancy/put-tenant-v2.coreConfig',
  'multitenancy/put-tenant.coreConfig',
  'third-party/sign-in-up.email',
  'totp/list-device-statuses.userIds',
  'user-metadata/metadata-of-users.userIds',
  'webauthn/register-credential.credential',
  'webauthn/register-options.supportedAlgorithmIDs',
  'webauthn/register-options.supportedAlgorithmIds',
  'webauthn/sign-in.credential',
  'webauthn/sign-up.credential',
]);

test('of every free-form member it is known whether any object is kept there', () => {
  const known = [...Object.keys(KEPT), ...READ_BY_VERB];
  expect([...new Set(FREE_FORM.map(({ name }) => name))].toSorted()).toEqual(known.toSorted());
});

describe.each(FREE_FORM)('$name', (member) => {
  const kept = KEPT[member.name];

  test("another type is refused in the contract's words, and changes nothing", async () => {
    const before = await everything();
    const wrong = member.types.length === 0 ? [] : samplesBut(member.types);
    // An upload has a complaint of its own.
    const words =
      member.input === 'bulk-import/add-users' ? /users/ : new RegExp(`^Field name '${member.field}' is invalid in JSON input\\n$`);
    for (const value of wrong)
      expect({ value, ...(await put(member, value)) }).toEqual({ value, status: 400, text: expect.stringMatching(words) });
    expect(await everything()).toEqual(before);
  });

  test('a number is taken up to its limit of characters, and refused beyond', async () => {
    const before = await everything();
    for (const long of [`0.${'0'.repeat(LIMITS.numberChars - 2)}1`, `1e${'9'.repeat(LIMITS.numberChars - 1)}`]) {
      const text = `A number in JSON input must not be longer than ${LIMITS.numberChars} characters\n`;
      expect(await put(member, `{"a":${long}}`)).toEqual({ status: 400, text });
    }
    expect(await everything()).toEqual(before);
    expect([200, 400]).toContain((await put(member, `{"a":0.${'0'.repeat(LIMITS.numberChars - 3)}1}`)).status);
  });

  test('no value is a fault, and each can be followed by another', async () => {
    for (const value of samplesOf(Object.keys(SAMPLES))) expect([200, 400], value).toContain((await put(member, value)).status);
    if (!kept) return;
    const { carry = (object) => object } = kept;
    expect((await put(member, carry('{"a":1}'))).status).toBe(200);
  });
});

test.each(Object.entries(KEPT))('%s: a decimal keeps its digits though none of its halves is long', async (name, kept) => {
  const { before, read, carry = (object: string) => object } = kept;
  const member = FREE_FORM.find((each) => each.name === name);
  if (!member) throw new Error('there is no such member');
  await before?.();
  const decimals = '{"a":[123456789012345.123456789012345,-12345678.123456789]}';
  const { status, text } = await put(member, carry(decimals));
  expect(status, text).toBe(200);
  expect(toJsonText((await read(parseJson(text))) ?? null)).toBe(decimals);
});

test.each(Object.entries(KEPT))('%s: any object comes back as it was sent', async (name, kept) => {
  const { before, read, carry = (object: string) => object, shown = (tree: JsonTree) => tree, isSigned = false } = kept;
  const member = FREE_FORM.find((each) => each.name === name);
  if (!member) throw new Error('there is no such member');
  await fc.assert(
    fc.asyncProperty(objects, async (object) => {
      await before?.();
      const { status, text } = await put(member, carry(object));
      if (isSigned && status === 400 && object.includes('123456789012345678901234567890')) return;
      expect(status, text).toBe(200);
      const back = await read(parseJson(text));
      expect(treesEqual(back ?? null, shown(parseJson(object))), JSON.stringify(back)).toBe(true);
    }),
    RUNS,
  );
});

describe('in nested places', () => {
  const OBJECTS_OF_PROVIDERS: readonly (readonly string[])[] = [
    ['authorizationEndpointQueryParams'],
    ['tokenEndpointBodyParams'],
    ['userInfoEndpointQueryParams'],
    ['userInfoEndpointHeaders'],
    ['userInfoMap'],
    ['userInfoMap', 'fromIdTokenPayload'],
    ['userInfoMap', 'fromUserInfoAPI'],
    ['clients', 'additionalConfig'],
  ];

  test.each(OBJECTS_OF_PROVIDERS)('a provider takes nothing but objects: %s %s', async (outer, inner) => {
    const path = '/recipe/multitenancy/config/thirdparty';
    const send = (value: string) => {
      const nested = inner === undefined ? value : `{"clientId":"c","${inner}":${value}}`;
      const clients = outer === 'clients' ? '' : '"clients":[],';
      return core.send('PUT', path, `{"config":{"thirdPartyId":"x",${clients}"${outer}":${outer === 'clients' ? `[${nested}]` : nested}}}`);
    };
    const before = await everything();
    for (const value of samplesBut(['object', 'null'])) {
      expect({ value, ...(await send(value)) }).toEqual({
        value,
        status: 400,
        text: `Field name '${inner ?? outer}' is invalid in JSON input\n`,
      });
    }
    expect(await everything()).toEqual(before);
    for (const value of samplesOf(['object', 'null'])) expect((await send(value)).status, value).toBe(200);
    const shown = await providerOf();
    expect(isJsonObject(shown)).toBe(true);
  });

  test('an imported user takes nothing but objects as metadata, at once and in the queue', async () => {
    const before = await everything();
    const user = (value: string) => `{"userMetadata":${value},"loginMethods":[{"recipeId":"passwordless","email":"u@example.com"}]}`;
    for (const value of samplesBut(['object'])) {
      const told = { status: 400, text: expect.stringContaining('userMetadata should be of type object.') };
      expect({ value, ...(await core.send('POST', '/bulk-import/import', user(value))) }).toEqual({ value, ...told });
      expect({ value, ...(await core.send('POST', '/bulk-import/users', `{"users":[${user(value)}]}`)) }).toEqual({ value, ...told });
    }
    expect(await everything()).toEqual(before);
    for (const value of SAMPLES['object'] ?? []) {
      expect((await core.send('POST', '/bulk-import/users', `{"users":[${user(value)}]}`)).status).toBe(200);
      const listed = inside(await get('/bulk-import/users'), 'users');
      const [entry] = Array.isArray(listed) ? listed : [];
      expect(treesEqual(inside(entry, 'userMetadata') ?? null, parseJson(value)), value).toBe(true);
      await core.call('POST', '/bulk-import/users/remove', { ids: [inside(entry, 'id')] });
      const imported = parseJson((await core.send('POST', '/bulk-import/import', user(value))).text);
      const userId = String(inside(imported, 'user', 'id'));
      const kept = inside(await get(`/recipe/user/metadata?userId=${userId}`), 'metadata');
      expect(treesEqual(kept ?? null, parseJson(value)), value).toBe(true);
      await core.call('POST', '/user/remove', { userId });
    }
  });

  test.each(OPTION_NAMES)('coreConfig takes %s of any type or refuses it, and the tenant lives on', async (option) => {
    const path = '/recipe/multitenancy/tenant/v2';
    const change = (value: string) => core.send('PUT', path, `{"tenantId":"t1","coreConfig":{"${option}":${value}}}`);
    await core.call('PUT', path, { tenantId: 't1' });
    for (const value of samplesOf(Object.keys(SAMPLES))) {
      expect([200, 400], value).toContain((await change(value)).status);
      // From outside: it may be an IP rule that shuts us out.
      const listed = (await core.call('GET', '/recipe/multitenancy/tenant/list/v2')).body['tenants'];
      expect(listed, value).toContainEqual(expect.objectContaining({ tenantId: 't1', coreConfig: expect.any(Object) }));
    }
    await core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
  });
});
