// The bytes that are sent: whole HTTP requests as the Node SDK sends them. Limits and core get the same bytes from every generator.
import { writeFileSync } from 'node:fs';

const CDI_VERSION = '5.4';

/** Where tokens are verified. */
export const VERIFY_PATH = '/recipe/session/verify';

const FIXED_HEADERS = [
  'host: localhost:3567',
  'connection: keep-alive',
  `cdi-version: ${CDI_VERSION}`,
  'accept: */*',
  'accept-language: *',
  'sec-fetch-mode: cors',
  'user-agent: node',
  'accept-encoding: gzip, deflate',
].join('\r\n');

/** A GET without a body. */
export function get(path) {
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${FIXED_HEADERS}\r\n\r\n`);
}

/** A POST of a JSON body. */
export function post(path, body, rid) {
  return withBody('POST', path, body, rid);
}

function withBody(method, path, body, rid) {
  const text = JSON.stringify(body);
  const head = `${method} ${path} HTTP/1.1\r\n${FIXED_HEADERS}\r\nrid: ${rid}\r\ncontent-type: application/json; charset=utf-8\r\n`;
  return Buffer.from(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

/** Creates a session with the claims that an SDK adds by default. */
export function createSession(userId) {
  const body = {
    userId,
    userDataInJWT: { iss: 'https://api.example.com/auth', 'st-ev': { v: true, t: 1_700_000_000_000 } },
    userDataInDatabase: {},
    useDynamicSigningKey: true,
    enableAntiCsrf: false,
  };
  return post('/public/recipe/session', body, 'session');
}

export function refreshSession(refreshToken) {
  return post('/recipe/session/refresh', { refreshToken, enableAntiCsrf: false, useDynamicSigningKey: true }, 'session');
}

export function verifySession(accessToken, checkDatabase) {
  return post(VERIFY_PATH, { accessToken, enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase }, 'session');
}

export function signUp(user) {
  return post('/public/recipe/signup', user, 'emailpassword');
}

/** A sign-up in a tenant. */
export function signUpIn(tenantId, user) {
  return post(`/${tenantId}/recipe/signup`, user, 'emailpassword');
}

/** A GET without a body, in a tenant. */
export function getOf(tenantId, path) {
  return get(`/${tenantId}${path}`);
}

/** Makes a tenant. */
export function putTenant(tenantId) {
  return withBody('PUT', '/recipe/multitenancy/tenant/v2', { tenantId }, 'multitenancy');
}

export function signIn(user) {
  return post('/public/recipe/signin', user, 'emailpassword');
}

export function createCode(email) {
  return post('/public/recipe/signinup/code', { email }, 'passwordless');
}

/** Uses up a code, by what creating it answered. */
export function consumeCode({ preAuthSessionId, deviceId, userInputCode }) {
  return post('/public/recipe/signinup/code/consume', { preAuthSessionId, deviceId, userInputCode }, 'passwordless');
}

export function verifyTotp(userId, totp) {
  return post('/public/recipe/totp/verify', { userId, totp }, 'totp');
}

/** A sign-in with a passkey. */
export function passkeySignIn(webauthnGeneratedOptionsId, credential) {
  return post('/public/recipe/webauthn/signin', { webauthnGeneratedOptionsId, credential }, 'webauthn');
}

/** Asks for options to make a passkey with. */
export function registerOptions(email) {
  const party = { relyingPartyId: 'example.com', relyingPartyName: 'Example', origin: 'https://example.com' };
  return post('/public/recipe/webauthn/options/register', { email, ...party, timeout: 60_000 }, 'webauthn');
}

/** Where an application sends a browser to an identity provider. */
export function beginLogin(body) {
  return post('/public/recipe/saml/login', body, 'saml');
}

/** What the browser brings back from there. */
export function finishLogin(samlResponse, relayState) {
  return post('/public/recipe/saml/callback', { samlResponse, relayState }, 'saml');
}

/** Writes requests for a generator to read: each as its length in decimal, a line feed, its bytes. */
export function writeRequests(file, requests) {
  writeFileSync(file, Buffer.concat(requests.flatMap((bytes) => [Buffer.from(`${bytes.length}\n`), bytes])));
}

/** Reads what `writeRequests` wrote. */
export function parseRequests(content) {
  const requests = [];
  for (let at = 0; at < content.length; ) {
    const line = content.indexOf(10, at);
    const length = Number(content.toString('latin1', at, line));
    requests.push(content.subarray(line + 1, line + 1 + length));
    at = line + 1 + length;
  }
  return requests;
}
