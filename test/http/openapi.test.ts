import { describe, expect, test } from 'vitest';
import { mergedAnswer } from '../../src/http/openapi/merged-answer.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { plainPaths } from '../../src/http/openapi/plain-operations.ts';
import { plainEndpoints } from '../../src/http/plain-endpoints.ts';
import { type Route, route } from '../../src/recipes/route.ts';
import { ROUTES } from '../../src/recipes/routes.ts';
import { openInProcessCore } from '../in-process-core.ts';
import { nameOf } from '../../src/http/openapi/examples.ts';
import { DOCUMENT, EXAMPLES, type Operation, operation } from './described.ts';

/** Rows without an example: what they answer is not the same twice, is no text, or is of other versions. */
const WITHOUT_EXAMPLE = ['GET /requests/stats', 'POST /recipe/handshake', 'GET /manage/v1/backup', 'GET /manage/v1/overview'];

const operations: readonly (readonly [name: string, operation: Operation])[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, one]) => (method === 'servers' ? [] : [[`${method.toUpperCase()} ${path}`, one] as const])),
);
const resolved = (reference: string): Readonly<Record<string, unknown>> =>
  reference
    .slice(2)
    .split('/')
    .reduce<Readonly<Record<string, unknown>>>((part, step) => part[step] as Readonly<Record<string, unknown>>, DOCUMENT);
const parameterNames = (one: Operation): readonly string[] => (one.parameters ?? []).flatMap(({ name }) => name ?? []);

describe('openapi.json', () => {
  test('has every row, and what is served beside them', async () => {
    const rows = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
    const plain = Object.keys(plainPaths()).map((path) => `GET ${path}`);
    expect(operations.map(([name]) => name).toSorted()).toEqual([...rows, ...plain].toSorted());
    const { services } = await openInProcessCore('5.6');
    const main = { metrics: () => Promise.reject(new Error('away')), state: () => Promise.reject(new Error('away')) };
    const served = [...plainEndpoints(services, main, () => false, { api_docs: true, base_path: '' }).keys()];
    expect(served.filter((path) => !path.startsWith('/docs/')).toSorted()).toEqual(Object.keys(plainPaths()).toSorted());
  });

  test('names operations by method and path, each differently', () => {
    expect(operation('POST', '/recipe/user/role/remove').operationId).toBe('postRecipeUserRoleRemove');
    expect(operation('GET', '/').operationId).toBe('getRoot');
    expect(operation('GET', '/.well-known/jwks.json').operationId).toBe('getWellKnownJwksJson');
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
  });

  test('tells the version of the product beside that of the interface', () => {
    expect(DOCUMENT.info).toMatchObject({ version: '1.2.3', 'x-cdi-version': '5.6' });
  });

  test('does not depend on the order of the rows', () => {
    const turned = openApiDocument({ routes: ROUTES.toReversed(), examples: [], version: '1.2.3' }) as unknown as typeof DOCUMENT;
    const straight = openApiDocument({ routes: ROUTES, examples: [], version: '1.2.3' }) as unknown as typeof DOCUMENT;
    expect(turned.tags).toEqual(straight.tags);
    expect(turned.paths).toEqual(straight.paths);
  });

  test('shows fields of bodies and parameters of queries', () => {
    const { properties } = DOCUMENT.components.schemas['SessionVerifySessionInput'] as { readonly properties: object };
    expect(operation('POST', '/recipe/session/verify').requestBody?.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/SessionVerifySessionInput',
    });
    expect(Object.keys(properties)).toEqual(['accessToken', 'antiCsrfToken', 'doAntiCsrfCheck', 'enableAntiCsrf', 'checkDatabase']);
    expect(operation('GET', '/user/id').parameters).toContainEqual(
      expect.objectContaining({ name: 'userId', in: 'query', required: true, schema: { type: 'string' } }),
    );
  });

  test('shows inputs whose body may be left out as queries', () => {
    const one = operation('DELETE', '/recipe/user/role');
    expect(parameterNames(one)).toEqual(['userId', 'role']);
    expect(one.requestBody).toBeUndefined();
  });

  test('shows forms, XML and redirects as such', () => {
    const token = operation('POST', '/recipe/saml/legacy/token');
    expect(token.requestBody?.content).toHaveProperty(['application/x-www-form-urlencoded']);
    expect(parameterNames(token)).toEqual([]);
    expect(operation('GET', '/.well-known/sp-metadata').responses).toMatchObject({ 200: { content: { 'text/xml': {} } } });
    const location = { headers: { Location: { schema: { type: 'string' } } } };
    expect(operation('GET', '/recipe/saml/legacy/authorize').responses).toMatchObject({ 200: {}, 307: location });
    expect(operation('POST', '/recipe/saml/legacy/callback').responses).toMatchObject({ 302: location });
    expect(operation('POST', '/recipe/saml/legacy/callback').responses).not.toHaveProperty('200');
    expect(operation('POST', '/recipe/saml/login').responses).not.toHaveProperty('302');
  });

  test('shows what older versions read, and asks for what the newest must have', () => {
    const input = DOCUMENT.components.schemas['EmailPasswordUpdateUserInput'] as { readonly properties: object; readonly required: object };
    expect(input.required).toEqual(['recipeUserId']);
    expect(input.properties).toMatchObject({
      userId: { description: 'Read from callers of CDI 2.7 to 3.1.', deprecated: true },
      recipeUserId: { description: 'Read from callers of CDI 4.0 and later.' },
    });
    expect(operation('POST', '/recipe/handshake').description).toContain('Served to callers of CDI 2.7 to 2.20.');
  });
});

describe('recipes that share a path', () => {
  const [get, put] = ['GET', 'PUT'].map((method) => operation(method, '/recipe/user'));
  const answersOf = (one: Operation | undefined) =>
    one?.responses['200'] as { readonly content: { 'application/json': { schema: { oneOf: object[] } } } };

  test('are one operation with the parameters of all', () => {
    expect(parameterNames(get as Operation)).toEqual(['rid', 'userId', 'email', 'phoneNumber', 'thirdPartyId', 'thirdPartyUserId']);
    expect(get?.tags).toEqual(['email-password', 'passwordless', 'third-party']);
    expect(get?.parameters).toContainEqual(
      expect.objectContaining({
        name: 'rid',
        schema: { type: 'string', enum: ['emailpassword', 'passwordless', 'thirdparty'], default: 'emailpassword' },
      }),
    );
    expect(get?.parameters).toContainEqual(
      expect.objectContaining({ name: 'phoneNumber', required: false, description: 'Read with `rid` `passwordless`.' }),
    );
  });

  test('answer one of what each of them answers, told apart by status', () => {
    const statuses = answersOf(get).content['application/json'].schema.oneOf.map(
      (one) => (one as { properties: { status: object } }).properties.status,
    );
    expect(statuses).toEqual([
      { const: 'OK' },
      { enum: ['UNKNOWN_USER_ID_ERROR', 'UNKNOWN_EMAIL_ERROR', 'UNKNOWN_PHONE_NUMBER_ERROR', 'UNKNOWN_THIRD_PARTY_USER_ERROR'] },
    ]);
    expect(put?.requestBody?.content['application/json']?.schema).toEqual({
      anyOf: [{ $ref: '#/components/schemas/EmailPasswordUpdateUserInput' }, { $ref: '#/components/schemas/PasswordlessUpdateUserInput' }],
    });
  });

  test('with different shapes under one status are any of these', () => {
    const answer = (status: object, more: object = {}): object => ({ properties: { status, ...more } });
    const merged = mergedAnswer([
      { oneOf: [answer({ const: 'OK' }, { a: {} }), answer({ enum: ['X', 'Y'] })] },
      { oneOf: [answer({ const: 'OK' }, { b: {} }), answer({ const: 'X' })] },
    ]);
    expect(merged).toEqual({
      oneOf: [{ anyOf: [answer({ const: 'OK' }, { a: {} }), answer({ const: 'OK' }, { b: {} })] }, answer({ enum: ['X', 'Y'] })],
    });
  });
});

describe('refusals', () => {
  const statusesOf = (method: string, path: string): readonly string[] => Object.keys(operation(method, path).responses);

  test('are those that the row can meet', () => {
    expect(statusesOf('POST', '/recipe/signup')).toEqual(['200', '400', '401', '403', '404', '408', '411', '413', '431', '500', '503']);
    expect(statusesOf('GET', '/hello')).toEqual(['200', '400', '403', '404', '431', '500', '503']);
    expect(statusesOf('GET', '/manage/v1/user')).toEqual(['200', '400', '401', '403', '431', '500', '503']);
    expect(statusesOf('DELETE', '/recipe/role')).toContain('413');
    expect(statusesOf('GET', '/livez')).toEqual(['200', '400', '431']);
  });

  test('know no 429: over a limit of failures the answer is that to wrong credentials', () => {
    expect(operations.filter(([, { responses }]) => '429' in responses)).toEqual([]);
  });

  test('say when to come again', () => {
    expect(DOCUMENT.components.responses['Unavailable']).toMatchObject({ headers: { 'Retry-After': { schema: { type: 'integer' } } } });
  });
});

describe('keys', () => {
  test('are asked for with the scope of the row, in either header, where any are configured', () => {
    expect(operation('POST', '/recipe/signup').security).toEqual([{ apiKey: ['cdi'] }, { bearer: ['cdi'] }, {}]);
    expect(operation('POST', '/manage/v1/user/disable').security).toEqual([{ apiKey: ['users'] }, { bearer: ['users'] }, {}]);
    expect(operation('GET', '/metrics').security).toEqual([{ apiKey: ['read'] }, { bearer: ['read'] }, {}]);
    expect(operation('PUT', '/recipe/multitenancy/tenant/v2').security).toEqual([
      { apiKey: ['cdi'] },
      { apiKey: ['tenants'] },
      { bearer: ['cdi'] },
      { bearer: ['tenants'] },
      {},
    ]);
    expect(operation('PUT', '/recipe/multitenancy/tenant/v2').description).toContain('good for `cdi` or `tenants`');
  });

  test('are not asked for where none is needed', () => {
    expect(operation('GET', '/hello').security).toEqual([]);
    expect(operation('GET', '/recipe/saml/legacy/userinfo').security).toEqual([{ accessToken: [] }]);
  });
});

describe('what the document is made of', () => {
  test('has an example of every row', () => {
    const kept = new Set(EXAMPLES.map((example) => example.of));
    const missing = ROUTES.map(nameOf).filter((name) => !kept.has(name) && !WITHOUT_EXAMPLE.includes(name));
    expect(missing, 'give them a call in test/rounds, and record: RECORD_EXAMPLES=1 npx vitest run test/http/examples.test.ts').toEqual([]);
  });

  test('is self-contained, repeats nothing, and is free of our own keywords', () => {
    const text = JSON.stringify({ ...DOCUMENT, info: {}, tags: [] });
    expect(text).not.toMatch(/"x-|"tsType"/);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference);
    for (const reference of references) expect(resolved(reference), reference).toBeDefined();
    const used = new Set(references.map((reference) => reference.split('/').at(-1)));
    expect(Object.keys(DOCUMENT.components.schemas).filter((name) => !used.has(name))).toEqual([]);
  });

  test.each<[lack: string, row: Partial<Route>, message: RegExp]>([
    ['a line in the list of endpoints', { path: '/manage/v1/new' }, /^GET \/manage\/v1\/new has no line in schemas\/endpoints.json$/],
    ['a summary', { path: '/hello', summary: '' }, /^GET \/hello has no summary$/],
    ['a schema of its answer', { path: '/hello', response: 'no/such' as never }, /^schemas\/no\/such.response.json is missing$/],
  ])('a row that lacks %s is named', (_lack, given, message) => {
    const row = route({
      method: 'GET',
      path: '/hello',
      scope: 'app',
      response: 'service/hello',
      summary: 'One.',
      run: () => '',
      view: (text) => ({ text }),
    });
    expect(() => openApiDocument({ routes: [{ ...row, ...given }], examples: [], version: '1.2.3' })).toThrow(message);
  });
});
