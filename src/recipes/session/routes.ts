import { RawJson } from '../../json/free-form.ts';
import { pagesFrom } from '../../store/pages.ts';
import { listAnswer } from '../list-answer.ts';
import type { Route } from '../route.ts';
import { route } from '../route.ts';
import { createSession } from './create-session.ts';
import { getSession, readSessionRow } from './get-session.ts';
import { handshake } from './handshake.ts';
import { keySet } from '../signing-keys/key-set.ts';
import { listSessions } from './list-sessions.ts';
import { refreshSession } from './refresh-session.ts';
import { regenerateSession } from './regenerate-session.ts';
import { checkRemoveCommand, removeSessions } from './remove-sessions.ts';
import { putJwtData, putSessionData } from './update-session.ts';
import { verifySession } from './verify-session.ts';
import { foundSessionView, handshakeView, refreshView, regenerateView, SESSION_MISSING, startedView, verifyView } from './views.ts';

const replaced = (wasThere: boolean) => (wasThere ? { json: { status: 'OK' } } : SESSION_MISSING);

/** What refreshes count as in the statistics of the day. */
const REFRESH_COUNTS = { OK: 'refreshes', TOKEN_THEFT_DETECTED: 'thefts', UNAUTHORISED: undefined } as const;

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/session',
    scope: 'tenant',
    input: 'session/create-session',
    summary: 'Create a session',
    silence: 'session',
    run: createSession,
    tallies: 'session-create',
    view: startedView,
  }),
  route({
    method: 'GET',
    path: '/recipe/session',
    scope: 'app-any-tenant',
    input: 'session/get-session',
    summary: 'A session by its handle',
    run: getSession,
    view: foundSessionView,
  }),
  route({
    method: 'POST',
    path: '/recipe/session/verify',
    scope: 'app-public-from-5.6',
    input: 'session/verify-session',
    summary: 'Verify an access token',
    silence: 'session',
    isHot: true,
    run: verifySession,
    view: verifyView,
  }),
  route({
    method: 'POST',
    path: '/recipe/session/refresh',
    scope: 'tenant',
    input: 'session/refresh-session',
    summary: 'Exchange a refresh token for new tokens',
    tells: ['session.theft'],
    silence: 'session',
    run: refreshSession,
    tallies: 'session-refresh',
    counts: ({ status }) => REFRESH_COUNTS[status],
    view: refreshView,
  }),
  route({
    method: 'POST',
    path: '/recipe/session/remove',
    scope: 'verb',
    input: 'session/remove-sessions',
    summary: 'Revoke sessions by handle, or all of a user',
    tells: ['session.revoked'],
    silence: 'ended',
    early: checkRemoveCommand,
    run: removeSessions,
    view: (revoked) => listAnswer('sessionHandlesRevoked', pagesFrom(revoked), String),
  }),
  route({
    method: 'GET',
    path: '/recipe/session/user',
    scope: 'verb',
    input: 'session/list-sessions',
    summary: 'Handles of the sessions of a user',
    run: listSessions,
    view: (handles) => listAnswer('sessionHandles', handles, String),
  }),
  route({
    method: 'GET',
    path: '/recipe/session/data',
    scope: 'app-any-tenant',
    input: 'session/get-session',
    response: 'session/get-session-data',
    summary: 'Data of a session',
    isDeprecated: true,
    run: readSessionRow,
    view: (row) => (row ? { json: { status: 'OK', userDataInDatabase: new RawJson(row.data) } } : SESSION_MISSING),
  }),
  route({
    method: 'PUT',
    path: '/recipe/session/data',
    scope: 'app-any-tenant',
    input: 'session/put-session-data',
    summary: 'Replace the data of a session',
    silence: 'session',
    run: putSessionData,
    view: replaced,
  }),
  route({
    method: 'GET',
    path: '/recipe/jwt/data',
    scope: 'app-any-tenant',
    input: 'session/get-session',
    response: 'session/get-jwt-data',
    summary: 'Claims of a session',
    isDeprecated: true,
    run: readSessionRow,
    view: (row) => (row ? { json: { status: 'OK', userDataInJWT: new RawJson(row.claims) } } : SESSION_MISSING),
  }),
  route({
    method: 'PUT',
    path: '/recipe/jwt/data',
    scope: 'app-any-tenant',
    input: 'session/put-jwt-data',
    response: 'session/put-session-data',
    summary: 'Replace the claims of a session',
    silence: 'session',
    run: putJwtData,
    view: replaced,
  }),
  route({
    method: 'POST',
    path: '/recipe/session/regenerate',
    scope: 'app-any-tenant',
    input: 'session/regenerate-session',
    summary: 'Mint an access token with other claims',
    silence: 'session',
    run: regenerateSession,
    view: regenerateView,
  }),
  route({
    method: 'POST',
    path: '/recipe/handshake',
    scope: 'tenant',
    only: 'legacySessions',
    response: 'session/handshake',
    summary: 'What SDKs below CDI 2.21 ask at start',
    silence: 'reads',
    run: handshake,
    view: handshakeView,
  }),
  route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    scope: 'app-any-tenant',
    apiKey: false,
    versionChecked: false,
    response: 'session/key-set',
    summary: 'The public keys of the app',
    run: keySet,
    view: ({ keys, maxAgeSeconds }) => ({
      json: { keys: keys.map((key) => ({ ...key })) },
      cacheControl: `max-age=${maxAgeSeconds}, must-revalidate`,
    }),
  }),
  route({
    method: 'GET',
    path: '/recipe/jwt/jwks',
    scope: 'app',
    response: 'session/key-set',
    summary: 'The public keys of the app',
    isDeprecated: true,
    run: keySet,
    view: ({ keys }) => ({ json: { keys: keys.map((key) => ({ ...key })), status: 'OK' } }),
  }),
];
