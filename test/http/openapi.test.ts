import { describe, expect, test } from 'vitest';
import { SCHEMAS } from '../../src/generated/schemas.ts';
import { SINCE } from '../../src/generated/since.ts';
import { openApiDocument, openApiText } from '../../src/http/openapi.ts';
import { ROUTES } from '../../src/recipes/routes.ts';

interface Operation {
  readonly summary: string;
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly properties: object } }>> };
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly object[];
}

const document = openApiDocument(ROUTES, SCHEMAS, SINCE) as {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: object };
};
const operation = (path: string, method: string): Operation => {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`no ${method} ${path}`);
  return found;
};

describe('openapi.json', () => {
  test('has every row, each with its input and its answer', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const row of ROUTES) {
      const { responses, summary } = operation(row.path, row.method.toLowerCase());
      expect(summary).not.toBe('');
      expect(responses).toHaveProperty('200');
      expect(SCHEMAS, `schemas/${row.response}.response.json of ${row.method} ${row.path}`).toHaveProperty([`${row.response}.response`]);
    }
  });

  test('shows fields of bodies and parameters of queries', () => {
    const body = operation('/recipe/session/verify', 'post').requestBody?.content['application/json']?.schema.properties;
    expect(Object.keys(body ?? {})).toEqual(['accessToken', 'antiCsrfToken', 'doAntiCsrfCheck', 'enableAntiCsrf', 'checkDatabase']);
    expect(operation('/user/id', 'get').parameters).toContainEqual({
      name: 'userId',
      in: 'query',
      required: true,
      schema: { type: 'string' },
    });
  });

  test('shows inputs whose body may be left out as queries', () => {
    const { parameters, requestBody } = operation('/recipe/user/role', 'delete');
    expect(parameters.flatMap(({ name }) => name ?? [])).toEqual(['userId', 'role']);
    expect(requestBody).toBeUndefined();
  });

  test('shows forms, XML and redirects as such', () => {
    const { requestBody, parameters } = operation('/recipe/saml/legacy/token', 'post');
    const form = requestBody?.content['application/x-www-form-urlencoded'];
    expect(Object.keys(form?.schema.properties ?? {})).toEqual(['client_id', 'client_secret', 'code']);
    expect(parameters.flatMap(({ name }) => name ?? [])).toEqual([]);
    expect(operation('/.well-known/sp-metadata', 'get').responses).toMatchObject({ 200: { content: { 'text/xml': {} } } });
    expect(operation('/recipe/saml/legacy/authorize', 'get').responses).toHaveProperty('307');
    expect(operation('/recipe/saml/legacy/callback', 'post').responses).toHaveProperty('302');
    expect(operation('/recipe/saml/login', 'post').responses).not.toHaveProperty('302');
  });

  test('knows no 429: over a limit of failures the answer is that to wrong credentials', () => {
    const statuses = ROUTES.flatMap((row) => Object.keys(operation(row.path, row.method.toLowerCase()).responses));
    expect(statuses).not.toContain('429');
  });

  test('says where no key is needed', () => {
    expect(operation('/hello', 'get').security).toEqual([]);
    expect(operation('/recipe/signup', 'post').security).not.toEqual([]);
  });

  test('is self-contained and free of our own keywords', async () => {
    const text = await openApiText(ROUTES);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
    expect(text).not.toMatch(/"x-|"tsType"/);
    const known = Object.keys(document.components.parameters).map((name) => `#/components/parameters/${name}`);
    for (const [, reference = ''] of text.matchAll(/"\$ref":"([^"]+)"/g)) expect(known).toContain(reference);
  });
});
