import type { Route } from '../recipes/route.ts';
import { NEWEST_CDI_VERSION } from '../cdi/versions.ts';

type Json = { readonly [name: string]: unknown };

/** How to call the endpoints of an app or a tenant, besides the plain path (contract 01 section 2.3). */
const PREFIX_NOTE = 'May follow `/appid-{appId}`, `/{tenantId}` or both in the path.';
const TEXT = { 'text/html': { schema: { type: 'string' } } };
/** The media type of a body, by where an input is read; a form may stand in the query as well. */
const BODY_TYPES: Readonly<Record<string, string>> = { body: 'application/json', form: 'application/x-www-form-urlencoded' };
const REFUSED = { description: 'Refused; the body says why', content: TEXT };
/** What any row may answer besides its own answers. */
const REFUSED_ANYWHERE = {
  '404': { description: 'Not served to this version of the interface, or not under a tenant by it', content: TEXT },
  '408': { description: 'The body took too long to arrive', content: TEXT },
  '411': { description: 'The body comes in chunks, which uWebSockets.js does not take', content: TEXT },
  '413': { description: 'The body is too large, or holds too many values', content: TEXT },
  '431': { description: 'The request line and headers are too large', content: TEXT },
  '500': { description: 'A fault of the core, or an option that the operator has to set', content: TEXT },
  '503': {
    description:
      'Not now: the core is busy, or its store takes no writes. With `Retry-After` nothing of what was to be written is kept; without it, that is unknown.',
    headers: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
    content: TEXT,
  },
};

/** The OpenAPI 3.1 document of the product, made from the list of routes and the schemas; JSON text. */
export async function openApiText(routes: readonly Route[]): Promise<string> {
  // Loaded on demand: serving never needs the schemas of all answers.
  const [{ SCHEMAS }, { SINCE }] = await Promise.all([import('../generated/schemas.ts'), import('../generated/since.ts')]);
  return JSON.stringify(openApiDocument(routes, SCHEMAS, SINCE));
}

/**
 * @param schemas every schema by name, answers as `<name>.response`
 * @param since the CDI version that introduced an endpoint, by method and path
 */
export function openApiDocument(
  routes: readonly Route[],
  schemas: Readonly<Record<string, Json>>,
  since: Readonly<Record<string, string>>,
): Json {
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const route of routes) {
    const operations = (paths[route.path] ??= {});
    // Rows that only `rid` tells apart are one operation to OpenAPI; the first one stands for them.
    operations[route.method.toLowerCase()] ??= operationOf(route, schemas, since[`${route.method} ${route.path}`]);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Watchword', description: 'An authentication core that speaks the Core Driver Interface.', version: NEWEST_CDI_VERSION },
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'api-key' }, bearer: { type: 'http', scheme: 'bearer' } },
      parameters: {
        cdiVersion: {
          name: 'cdi-version',
          in: 'header',
          required: false,
          description: 'The version of the interface that the caller speaks; the newest the app allows where it is left out.',
          schema: { type: 'string' },
        },
        rid: {
          name: 'rid',
          in: 'header',
          required: false,
          description: 'The recipe that is meant.',
          schema: { type: 'string', enum: ['emailpassword', 'thirdparty', 'passwordless'] },
        },
      },
    },
  };
}

function operationOf(route: Route, schemas: Readonly<Record<string, Json>>, since: string | undefined): Json {
  const inputName = route.input ?? route.rawInput;
  const input = inputName === undefined ? undefined : schemas[inputName];
  const response = schemas[`${route.response}.response`];
  const bodyType = BODY_TYPES[String(input?.['x-in'])];
  const body = bodyType === undefined ? {} : { requestBody: { required: true, content: { [bodyType]: { schema: plain(input) } } } };
  return {
    summary: route.summary,
    description: `${since === undefined ? oursNote(route) : `Since CDI ${since}.`} ${route.scope === 'none' ? '' : PREFIX_NOTE}`.trim(),
    tags: [(inputName ?? route.response).split('/')[0]],
    parameters: [
      ...(since === undefined ? [] : [{ $ref: '#/components/parameters/cdiVersion' }]),
      ...(route.rid ? [{ $ref: '#/components/parameters/rid' }] : []),
      // With methods where the body is optional, few clients can send one: they use the query.
      ...(input && bodyType === undefined ? queryParameters(input) : []),
    ],
    ...body,
    responses: {
      '200': { description: 'Answered', content: contentOf(response) },
      ...(route.redirect && { [route.redirect]: { description: 'The header `Location` says where to send the browser' } }),
      '400': REFUSED,
      ...(route.apiKey && { '401': { description: 'No API key, or a wrong one', content: TEXT } }),
      '403': REFUSED,
      ...REFUSED_ANYWHERE,
    },
    security: route.apiKey ? [{ apiKey: [] }, { bearer: [] }, {}] : [],
  };
}

const oursNote = ({ needs }: Route): string => `Of Watchword's own; takes a key of the base app that is good for \`${needs}\`.`;

function contentOf(response: Json | undefined): Json {
  if (response?.['type'] !== 'string') return { 'application/json': { schema: plain(response ?? {}) } };
  return { [String(response['contentMediaType'] ?? 'text/html')]: { schema: plain(response) } };
}

function queryParameters(input: Json): Json[] {
  const required = new Set(Array.isArray(input['required']) ? input['required'] : []);
  return Object.entries((input['properties'] ?? {}) as Readonly<Record<string, Json>>).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.has(name) && property['x-trait'] === undefined,
    ...(typeof property['description'] === 'string' && { description: property['description'] }),
    schema: plain(property),
    // Lists are one parameter with commas.
    ...(property['type'] === 'array' && { style: 'form', explode: false }),
  }));
}

/** A schema without the keywords that only this product reads. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !keyword.startsWith('x-') && keyword !== 'tsType')
      .map(([keyword, value]) => [keyword, plain(value)]),
  );
}
