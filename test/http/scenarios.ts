/** One request and the whole answer to it. The core under test has the app `a1` with the tenant `t1`, and an API key on the app `keyed`. */
export interface Scenario {
  /** Method and target, exactly as sent. */
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** The body without the line break at its end; for JSON answers a part of it is enough (`json`). */
  readonly text?: string;
  readonly json?: Readonly<Record<string, unknown>>;
}

const HELLO = { status: 200, text: 'Hello' } as const;
const NOT_FOUND = { status: 404, text: 'Not found' } as const;
const NO_METHOD = { status: 405, text: 'Method not supported' } as const;
const NO_KEY = { status: 401, text: 'Invalid API key' } as const;
const NOT_JSON = { status: 400, text: 'Invalid Json Input' } as const;
const PUBLIC_ONLY = { status: 403, text: 'Only public tenantId can call this app specific API' } as const;
const noTenant = (app: string, tenant: string): { readonly status: 400; readonly text: string } => ({
  status: 400,
  text: `AppId or tenantId not found => Tenant with the following connectionURIDomain, appId and tenantId combination not found: (, ${app}, ${tenant})`,
});
const cdi = (version: string): { readonly headers: { readonly 'cdi-version': string } } => ({ headers: { 'cdi-version': version } });
const post = (path: string, body: string): Pick<Scenario, 'request' | 'body'> => ({ request: `POST ${path}`, body });

/** The key of the app `keyed`. */
export const APP_KEY = 'key-of-the-keyed-app-0123456789';

/** Who answers on which path (contract 01 sections 2.2 to 2.4, 3.1 and 3.2). */
export const PATHS: readonly Scenario[] = [
  ...['/', '/public', '/public/', '/appid-public', '/appid-a1', '/appid-a1/', '/appid-a1/public', '/appid-a1/t1', '/appid-a1/t1/'].map(
    (path) => ({
      request: `GET ${path}`,
      ...HELLO,
    }),
  ),
  ...[
    '/hello',
    '/hello/',
    '/HELLO',
    '/public/hello',
    '/ghost/hello',
    '/appid-a1/hello',
    '/appid-a1/t1/Hello/',
    '//hello',
    '/./hello',
    '/x/../hello',
    '/%68ello',
    '/hello;a=b',
  ].map((path) => ({ request: `GET ${path}`, ...HELLO })),
  ...['POST', 'PUT', 'DELETE'].map((method) => ({ request: `${method} /hello`, ...HELLO })),
  ...['/abcd', '/recipe', '/users/x', '/a/b/c', '/appid-a1/nothing', '/ghost', '/t1', '/recipe/nothing', '/appid-A1'].map((path) => ({
    request: `GET ${path}`,
    ...NOT_FOUND,
  })),
  { request: 'GET /appid-nosuch', ...noTenant('nosuch', 'public') },
  { request: 'GET /appid-nosuch/x', ...noTenant('nosuch', 'public') },
  { request: 'GET /appid-nosuch/hello', ...noTenant('nosuch', 'public') },
  { request: 'PUT /a/b/c/d', ...NOT_FOUND },
];

/** What is refused before an endpoint is asked, and in which order (contract 01 sections 2.6 to 2.10). */
export const GATES: readonly Scenario[] = [
  { request: 'GET /recipe/signup', ...NO_METHOD },
  { request: 'HEAD /hello', status: 200 },
  { request: 'OPTIONS /recipe/signup', ...NO_METHOD },
  { request: 'PATCH /recipe/signup', status: 405 },
  { request: 'GET /apiversion', headers: { 'cdi-version': '' }, status: 400, text: 'cdi-version header is invalid' },
  { request: 'GET /hello', ...cdi('x.y'), status: 400, text: 'cdi-version header is invalid' },
  { request: 'GET /hello', ...cdi('2.6'), ...HELLO },
  { request: 'GET /hello', ...cdi('5.7'), status: 400, text: 'cdi-version 5.7 not supported' },
  { request: 'GET /hello', ...cdi('5.0.0'), ...HELLO },
  { request: 'POST /recipe/signup', ...cdi('5.0.0'), status: 400, text: 'cdi-version 5.0.0 not supported' },
  { request: 'POST /recipe/signup', ...cdi('2.6'), status: 400, text: 'cdi-version 2.6 not supported' },
  { request: 'GET /', ...cdi('2.6'), status: 400, text: 'cdi-version 2.6 not supported' },
  { request: 'GET /appid-a1/t1/hello', ...cdi('2.21'), ...NOT_FOUND },
  { request: 'GET /appid-a1/t1/hello', ...cdi('3.0'), ...HELLO },
  { request: 'GET /appid-a1/t1/apiversion', ...PUBLIC_ONLY },
  { request: 'GET /appid-a1/t1/apiversion', ...cdi('4.0'), status: 200 },
  { request: 'GET /appid-a1/ghost/apiversion', ...cdi('4.0'), status: 200 },
  { request: 'GET /appid-keyed/apiversion', ...NO_KEY },
  { request: 'GET /appid-keyed/apiversion', headers: { 'api-key': 'wrong' }, ...NO_KEY },
  { request: 'GET /appid-keyed/apiversion', headers: { 'api-key': '', authorization: APP_KEY }, ...NO_KEY },
  { request: 'GET /appid-keyed/apiversion', headers: { 'api-key': ` ${APP_KEY} ` }, status: 200 },
  { request: 'GET /appid-keyed/apiversion', headers: { authorization: `bearer ${APP_KEY}` }, status: 200 },
  { request: 'GET /appid-keyed/apiversion', headers: { authorization: APP_KEY }, status: 200 },
  { request: 'GET /appid-keyed/apiversion', headers: { authorization: 'Basic abc' }, ...NO_KEY },
  { request: 'GET /apiversion', headers: { authorization: 'Basic abc' }, status: 200 },
  { request: 'GET /appid-keyed/ghost/apiversion', ...NO_KEY },
  { request: 'GET /appid-keyed/hello', ...HELLO },
  { request: 'GET /appid-keyed/.well-known/jwks.json', status: 200 },
  { request: 'GET /appid-keyed/apiversion', ...cdi('x'), ...NO_KEY },
  { request: 'DELETE /appid-keyed/recipe/signup', ...NO_KEY },
  { request: 'DELETE /appid-nosuch/recipe/signup', ...NO_METHOD },
  { ...post('/appid-nosuch/recipe/signup', '{'), ...NOT_JSON },
  { ...post('/appid-nosuch/recipe/signup', '{"email":"a@b.io","password":"x"}'), ...noTenant('nosuch', 'public') },
  { ...post('/ghost/recipe/signup', '{"email":"a@b.io","password":"x"}'), ...noTenant('public', 'ghost') },
];

/** How bodies and parameters are read (contract 01 section 2.11). */
export const INPUTS: readonly Scenario[] = [
  ...['', '{', '[]', '"text"', '12', 'null', 'true', '{"a":1,}', '{"a":1}{', "{'email':'x'}", '\uFEFF{}x'].map((body) => ({
    ...post('/recipe/signup', body),
    ...NOT_JSON,
  })),
  { ...post('/recipe/signup', '{}'), status: 400, text: "Field name 'email' is invalid in JSON input" },
  { ...post('/recipe/signup', '{"email":null,"password":"x"}'), status: 400, text: "Field name 'email' is invalid in JSON input" },
  { ...post('/recipe/signup', '{"email":7,"password":"x"}'), status: 400, text: "Field name 'email' is invalid in JSON input" },
  { ...post('/recipe/signup', '{"email":"a@b.io"}'), status: 400, text: "Field name 'password' is invalid in JSON input" },
  {
    ...post('/recipe/signin', '{"email":"a","email":"nobody@x.io","password":"x"}'),
    status: 200,
    json: { status: 'WRONG_CREDENTIALS_ERROR' },
  },
  { request: 'GET /config', status: 400, text: "Field name 'pid' is missing in GET request" },
  { request: 'GET /config?pid=0', status: 200, json: { status: 'NOT_ALLOWED' } },
  {
    request: 'GET /appid-a1/config?pid=0',
    status: 403,
    text: 'you can call this only from the base connection uri domain, public app and tenant',
  },
  { request: 'GET /recipe/session?sessionHandle=a+b%20c&sessionHandle=d', status: 200, json: { status: 'UNAUTHORISED' } },
  { request: 'GET /telemetry', status: 200, text: '{"exists":false}' },
  { ...post('/recipe/handshake', ''), status: 404, text: 'Not found' },
];
