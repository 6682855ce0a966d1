import { OPERATOR_COOKIE } from '../../recipes/operators/sessions.ts';
import { CDI_VERSIONS, NEWEST_CDI_VERSION } from '../../cdi/versions.ts';
import type { Route } from '../../recipes/route.ts';
import { API_SCOPES } from '../../recipes/tenants/api-keys.ts';
import type { Example } from './examples.ts';
import { factsOf, operationOf } from './operation.ts';
import { plainPaths } from './plain-operations.ts';
import { REFUSED_RESPONSES } from './refused.ts';
import { componentsIn, type Json } from './schemas.ts';
import { PLAIN_RECIPE, TAGS } from './tags.ts';

const DESCRIPTION = [
  `Watchword is an authentication core for back ends. It speaks the Core Driver Interface (CDI) of SuperTokens, versions ${CDI_VERSIONS[0]} to ${NEWEST_CDI_VERSION}, and has endpoints of its own below \`/manage/v1\`.`,
  `**Versions.** Operations are shown as the newest version (CDI ${NEWEST_CDI_VERSION}) has them; \`cdi-version\` asks for an older one, and what differs is said where it does. Endpoints below \`/manage/v1\` have no versions.`,
  '**Outcomes** are answered with 200 and a `status`, which says whether it went well. Every other answer is text (`text/html`) that says what is wrong.',
  '**Apps and tenants** precede the path: `/appid-{appId}`, `/{tenantId}` or both. Without them the app and the tenant named `public` are meant.',
  `**Keys** are asked for where any are configured, as \`api-key: KEY\` or \`Authorization: Bearer KEY\`. What each must be good for (${API_SCOPES.map((scope) => `\`${scope}\``).join(', ')}) stands with its operation; \`all\` is good for everything.`,
].join('\n\n');

const APP_ID = { default: 'public', description: 'An app.' };
const TENANT_ID = { default: 'public', description: 'A tenant of the app.' };
/** How a path is addressed; relative to the host, and prefixed with `base_path` where that is set. */
const SERVERS = [
  { url: '/', description: 'The public tenant of the public app' },
  { url: '/appid-{appId}', description: 'The public tenant of an app', variables: { appId: APP_ID } },
  { url: '/{tenantId}', description: 'A tenant of the public app', variables: { tenantId: TENANT_ID } },
  { url: '/appid-{appId}/{tenantId}', description: 'A tenant of an app', variables: { appId: APP_ID, tenantId: TENANT_ID } },
];

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'api-key', description: 'A key of the app, or of the base app for `/manage/v1`.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same key in the header `Authorization`.' },
  operator: { type: 'apiKey', in: 'cookie', name: OPERATOR_COOKIE, description: 'The session of an operator in a browser.' },
  accessToken: { type: 'http', scheme: 'bearer', description: 'What `POST /recipe/saml/legacy/token` answered.' },
};

const CDI_VERSION = {
  name: 'cdi-version',
  in: 'header',
  required: false,
  description: 'The version of the interface that the caller speaks; the newest that the app allows where it is left out.',
  schema: { type: 'string', enum: CDI_VERSIONS },
};

/** What the description of the interface is made of. */
export interface Described {
  readonly routes: readonly Route[];
  readonly examples: readonly Example[];
  /** Of the product. */
  readonly version: string;
}

/** The OpenAPI 3.1 document of the product. Throws an error that names the row where a row lacks something. */
export function openApiDocument({ routes, examples, version }: Described): Json {
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const rows of rowsByOperation(routes)) {
    const [{ path, method }] = rows;
    (paths[path] ??= {})[method.toLowerCase()] = operationOf(rows, examples);
  }
  const all = { ...paths, ...plainPaths() };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchword',
      version,
      summary: `The Core Driver Interface up to ${NEWEST_CDI_VERSION}, and Watchword's own endpoints.`,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-cdi-version': NEWEST_CDI_VERSION,
    },
    servers: SERVERS,
    tags: tagsOf(routes),
    paths: all,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { cdiVersion: CDI_VERSION },
      responses: REFUSED_RESPONSES,
      schemas: componentsIn(all),
    },
  };
}

/** Rows that only `rid` tells apart are one operation, whatever their order. */
function rowsByOperation(routes: readonly Route[]): Iterable<[Route, ...Route[]]> {
  const operations = new Map<string, [Route, ...Route[]]>();
  for (const row of routes.toSorted(byRid)) {
    const name = `${row.method} ${row.path}`;
    const rows = operations.get(name);
    if (rows) rows.push(row);
    else operations.set(name, [row]);
  }
  return operations.values();
}

const byRid = (a: Route, b: Route): number => (a.rid ?? '').localeCompare(b.rid ?? '');

function tagsOf(routes: readonly Route[]): readonly Json[] {
  const recipes = new Set([PLAIN_RECIPE, ...routes.map((row) => factsOf(row).recipe)]);
  const unknown = [...recipes].filter((recipe) => !(recipe in TAGS));
  if (unknown.length > 0) throw new Error(`src/http/openapi/tags.ts says nothing of ${unknown.join(', ')}`);
  const used = Object.entries(TAGS).filter(([recipe]) => recipes.has(recipe));
  return used.map(([recipe, { title, description }]) => ({ name: recipe, description, 'x-displayName': title }));
}
