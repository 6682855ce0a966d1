import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { type BeginLoginResult, beginLogin, checkBeginLogin } from './begin-login.ts';
import { clientView } from './clients.ts';
import { finishLogin } from './finish-login.ts';
import { legacyAuthorize } from './legacy-authorize.ts';
import { checkLegacyCallback, legacyCallback } from './legacy-callback.ts';
import { legacyToken } from './legacy-token.ts';
import { checkLegacyUserInfo, legacyUserInfo } from './legacy-user-info.ts';
import { listAnswer } from '../list-answer.ts';
import { listClients } from './list-clients.ts';
import { checkPutClient, putClient } from './put-client.ts';
import { redeemCode } from './redeem-code.ts';
import { removeClient } from './remove-client.ts';
import { spMetadata } from './sp-metadata.ts';

/** The endpoints of the reference, each with the name that the specification gives it. */
const CLIENT_ROWS: readonly Route[] = [
  ...(
    [
      ['PUT', '/recipe/saml/clients'],
      ['POST', '/recipe/saml/client'],
    ] as const
  ).map(([method, path]) =>
    route({
      method,
      path,
      scope: 'tenant',
      input: 'saml/put-client',
      summary: 'Connect a SAML identity provider, or replace a connection',
      tells: ['saml-client.written'],
      early: checkPutClient,
      run: putClient,
      view: (result) => ({ json: result.status === 'OK' ? { ...clientView(result.client), status: 'OK' } : { status: result.status } }),
    }),
  ),
  ...['/recipe/saml/clients/list', '/recipe/saml/clients'].map((path) =>
    route({
      method: 'GET',
      path,
      scope: 'tenant',
      response: 'saml/list-clients',
      summary: 'The SAML identity providers of a tenant',
      run: listClients,
      view: (clients) => listAnswer('clients', clients, clientView),
    }),
  ),
  ...['/recipe/saml/clients/remove', '/recipe/saml/client/remove'].map((path) =>
    route({
      method: 'POST',
      path,
      scope: 'tenant',
      input: 'saml/remove-client',
      summary: 'Disconnect a SAML identity provider',
      tells: ['saml-client.removed'],
      run: removeClient,
      view: (didExist) => ({ json: { status: 'OK', didExist } }),
    }),
  ),
];

const LOGIN_ROWS: readonly Route[] = [
  ...['/recipe/saml/login', '/recipe/saml/authorize'].map((path) =>
    route({
      method: 'POST',
      path,
      scope: 'tenant',
      input: 'saml/begin-login',
      summary: 'Begin a SAML login: the URL at the identity provider',
      silence: 'step',
      early: checkBeginLogin,
      run: beginLogin,
      view: (result) => ({ json: result }),
    }),
  ),
  route({
    method: 'POST',
    path: '/recipe/saml/callback',
    scope: 'tenant',
    input: 'saml/finish-login',
    summary: 'Finish a SAML login: check the answer of the identity provider',
    silence: 'step',
    run: finishLogin,
    view: (result) => ({ json: result }),
  }),
  ...['/recipe/saml/user', '/recipe/saml/userinfo'].map((path) =>
    route({
      method: 'POST',
      path,
      scope: 'tenant',
      input: 'saml/redeem-code',
      summary: 'Exchange the code of a SAML login for who logged in',
      silence: 'step',
      run: redeemCode,
      view: (user) => ({ json: user ? { ...user, status: 'OK' } : { status: 'INVALID_TOKEN_ERROR' } }),
    }),
  ),
  ...['/.well-known/sp-metadata', '/recipe/saml/metadata'].map((path) =>
    route({
      method: 'GET',
      path,
      scope: 'tenant',
      apiKey: false,
      response: 'saml/sp-metadata',
      summary: 'What a SAML identity provider has to know of a tenant',
      run: spMetadata,
      view: (xml) => ({ xml }),
    }),
  ),
];

const TEMPORARY = 307;
const FOUND = 302;

function sendToIdp(result: BeginLoginResult): Answer {
  return result.status === 'OK' ? { redirect: TEMPORARY, location: result.ssoRedirectURI } : { json: result };
}

const LEGACY_ROWS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/recipe/saml/legacy/authorize',
    scope: 'verb',
    redirect: TEMPORARY,
    input: 'saml/legacy-authorize',
    summary: 'Begin a SAML login as with OAuth: redirects to the identity provider',
    silence: 'step',
    run: legacyAuthorize,
    view: sendToIdp,
  }),
  route({
    method: 'POST',
    path: '/recipe/saml/legacy/callback',
    scope: 'verb',
    redirect: FOUND,
    input: 'saml/legacy-callback',
    summary: 'Finish a SAML login as with OAuth: redirects to the application',
    silence: 'step',
    early: checkLegacyCallback,
    run: legacyCallback,
    view: (location) => ({ redirect: FOUND, location }),
  }),
  route({
    method: 'POST',
    path: '/recipe/saml/legacy/token',
    scope: 'verb',
    apiKey: false,
    input: 'saml/legacy-token',
    summary: 'Exchange the code of a SAML login for an access token',
    silence: 'reads',
    run: legacyToken,
    view: (accessToken) => ({ json: { status: 'OK', access_token: accessToken } }),
  }),
  route({
    method: 'GET',
    path: '/recipe/saml/legacy/userinfo',
    takesAccessToken: true,
    scope: 'app',
    apiKey: false,
    response: 'saml/legacy-user-info',
    summary: 'Exchange the access token of a SAML login for who logged in',
    silence: 'step',
    early: checkLegacyUserInfo,
    run: legacyUserInfo,
    view: ({ claims, sub, email, aud }) => ({ json: { claims, id: sub, email, aud } }),
  }),
];

/** SAML logins, as a service provider (contract 06). */
export const ROUTES: readonly Route[] = [...CLIENT_ROWS, ...LOGIN_ROWS, ...LEGACY_ROWS];
