import { runJob } from '../run-job.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AnyCollection } from '../../../src/store/collection.ts';
import { samlClaims, samlRelayStates, samlUsedAssertions } from '../../../src/recipes/saml/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { makeIdp, type TestIdp } from '../../saml-idp/idp.ts';
import { SamlCalls } from './calls.ts';

const INVALID = { status: 'INVALID_TOKEN_ERROR' };
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const OBJECT = 'http://schemas.microsoft.com/identity/claims/objectidentifier';
const attributes = (values: Readonly<Record<string, string | string[]>>) =>
  Object.entries(values).map(([name, value]) => ({ name, values: [value].flat() }));

let idp: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  calls = new SamlCalls(await openInProcessCore('5.4'));
  await calls.connect(idp);
});

describe('redeeming a code', () => {
  test('tells who logged in, once', async () => {
    const code = await calls.code(idp, {
      nameId: 'user-1',
      nameIdFormat: null,
      attributes: attributes({ mail: 'jane@example.com', groups: ['a', 'b'], __proto__x: 'x' }),
    });
    expect(await calls.user(code)).toEqual({
      status: 'OK',
      claims: { NameID: ['user-1'], mail: ['jane@example.com'], groups: ['a', 'b'], __proto__x: ['x'] },
      sub: 'user-1',
      email: 'jane@example.com',
      aud: 'c',
    });
    expect(await calls.user(code)).toEqual(INVALID);
  });

  test('works once, however many try at once', async () => {
    const code = await calls.code(idp);
    const answers = await Promise.all(Array.from({ length: 10 }, () => calls.user(code)));
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
  });

  test('uses it up where the client is another', async () => {
    const code = await calls.code(idp);
    expect(await calls.user(code, 'd')).toEqual(INVALID);
    expect(await calls.user(code)).toEqual(INVALID);
  });

  test('works in its tenant only', async () => {
    await calls.addTenant('t1');
    const code = await calls.code(idp);
    expect(await calls.user(code, 'c', { at: '/t1' })).toEqual(INVALID);
    expect(await calls.user(code)).toMatchObject({ status: 'OK' });
  });

  test('works after the client is gone', async () => {
    const code = await calls.code(idp);
    await calls.at('POST', '/recipe/saml/clients/remove', { clientId: 'c' });
    expect(await calls.user(code)).toMatchObject({ status: 'OK', aud: 'c' });
  });

  test('works as long as the tenant says, to the millisecond', async () => {
    await calls.addTenant('t1', { saml_claims_validity: 2000 });
    const at = '/t1';
    await calls.connect(idp, {}, { at });
    const [early, late] = [await calls.code(idp, {}, { at }), await calls.code(idp, {}, { at })];
    calls.core.clock.now += 2000;
    expect(await calls.user(early, 'c', { at })).toMatchObject({ status: 'OK' });
    calls.core.clock.now += 1;
    expect(await calls.user(late, 'c', { at })).toEqual(INVALID);
  });

  test('knows no other codes, and names the fields that are missing', async () => {
    expect(await calls.user('')).toEqual(INVALID);
    expect(await calls.user('00000000-0000-4000-8000-000000000000')).toEqual(INVALID);
    const texts = [{}, { accessToken: 1 }, { accessToken: 'x' }, { accessToken: 'x', clientId: null }].map(
      async (body) => (await calls.at('POST', '/recipe/saml/user', body)).body['text'],
    );
    const text = (field: string) => `Field name '${field}' is invalid in JSON input\n`;
    expect(await Promise.all(texts)).toEqual([text('accessToken'), text('accessToken'), text('clientId'), text('clientId')]);
  });

  test('works under the name that the specification gives it', async () => {
    const accessToken = await calls.code(idp);
    expect((await calls.at('POST', '/recipe/saml/userinfo', { accessToken, clientId: 'c' })).body).toMatchObject({ status: 'OK' });
  });
});

describe('a user', () => {
  const read = async (nameId: string | null, values: Readonly<Record<string, string>> = {}) => {
    const { sub, email } = await calls.user(await calls.code(idp, { nameId, attributes: attributes(values) }));
    return [sub, email];
  };

  test('is identified by name id, object identifier or name, in this order', async () => {
    const [object, name] = [{ [OBJECT]: 'object-1' }, { [`${CLAIMS}name`]: 'name-1' }];
    expect(await read('user-1', { ...name, ...object })).toEqual(['user-1', null]);
    expect(await read(null, { ...name, ...object })).toEqual(['object-1', null]);
    expect(await read(null, name)).toEqual(['name-1', null]);
    expect(await read(null)).toEqual([null, null]);
  });

  test('has the email of the first attribute that holds one, or of the name id', async () => {
    const [uri, mail, email] = [
      { [`${CLAIMS}emailaddress`]: 'uri@example.com' },
      { mail: 'mail@example.com' },
      { email: 'email@example.com' },
    ];
    expect(await read('n@example.com', { ...email, ...mail, ...uri })).toEqual(['n@example.com', 'uri@example.com']);
    expect(await read('n@example.com', { ...email, ...mail })).toEqual(['n@example.com', 'mail@example.com']);
    expect(await read('n@example.com', email)).toEqual(['n@example.com', 'email@example.com']);
    expect(await read('n@example.com', { email: 'not an address' })).toEqual(['n@example.com', 'not an address']);
    expect(await read('n@example.com')).toEqual(['n@example.com', 'n@example.com']);
  });

  test('has the email of the attribute that LDAP calls mail, and of those that the tenant names instead', async () => {
    const oid = 'urn:oid:0.9.2342.19200300.100.1.3';
    expect(await read('n@example.com', { [oid]: 'oid@example.com' })).toEqual(['n@example.com', 'oid@example.com']);
    expect(await read('n', { [oid]: 'oid@example.com', email: 'email@example.com' })).toEqual(['n', 'email@example.com']);
    const at = '/t1';
    const emailBy = async (names: unknown) => {
      await calls.addTenant('t1', { saml_email_attributes: names });
      await calls.connect(idp, {}, { at });
      const said = {
        nameId: 'n@example.com',
        attributes: attributes({ mail: 'mail@example.com', 'urn:x, y': 'x@example.com', b: 'b@example.com' }),
      };
      return (await calls.user(await calls.code(idp, said, { at }), 'c', { at }))['email'];
    };
    expect(await emailBy('a, b ,mail,')).toBe('b@example.com');
    expect(await emailBy('mail,b')).toBe('mail@example.com');
    expect(await emailBy('')).toBe('n@example.com');
    expect(await emailBy(['urn:x, y', 'b'])).toBe('x@example.com');
    expect(await emailBy(null)).toBe('mail@example.com');
    const refused = async (names: unknown) => {
      const body = { tenantId: 't1', coreConfig: { saml_email_attributes: names } };
      return (await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', body)).body['text'];
    };
    expect(await refused(Array.from({ length: 33 }, (_, n) => `a${n}`).join())).toMatch(/'saml_email_attributes' must be at most 32/);
    expect(await refused({ a: 1 })).toMatch(/'saml_email_attributes' must be of type string/);
  });

  test('may have an attribute of any name, and it stays data', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'NameIDx', 'ключ'];
    const code = await calls.code(idp, { attributes: names.map((name) => ({ name, values: [`${name}!`] })) });
    const { body } = await calls.at('POST', '/recipe/saml/user', { accessToken: code, clientId: 'c' });
    const claims = body['claims'] as Readonly<Record<string, string[]>>;
    for (const name of names) expect(Object.getOwnPropertyDescriptor(claims, name)?.value).toEqual([`${name}!`]);
  });
});

const COLLECTIONS: readonly AnyCollection[] = [samlRelayStates, samlClaims, samlUsedAssertions];

test('clean-up deletes what has ended, in bounded steps, and nothing else', async () => {
  const { store, now } = calls.core.services;
  const count = async () => {
    const range = { prefix: [], limit: 100 } as const;
    const all = await store.read((reader) =>
      Promise.all(COLLECTIONS.map(async (one) => (await reader.keys(one, undefined, range)).length)),
    );
    return all;
  };
  for (let login = 0; login < 3; login++) await calls.code(idp);
  for (let login = 0; login < 3; login++) await calls.asked();
  expect(await count()).toEqual([3, 3, 3]);
  expect(await runJob('expired-saml-data', calls.core.services, now(), 100)).toBe(false);
  expect(await count()).toEqual([3, 3, 3]);
  calls.core.clock.now += 2 * 900_000;
  await calls.asked();
  expect(await runJob('expired-saml-data', calls.core.services, now(), 4)).toBe(true);
  expect(await count()).toEqual([1, 2, 3]);
  expect(await runJob('expired-saml-data', calls.core.services, now(), 100)).toBe(false);
  expect(await count()).toEqual([1, 0, 0]);
});
