import type { Page } from '../../store/store.ts';
import { type Route, route } from '../route.ts';
import type { SessionSummary } from '../session/session-summaries.ts';
import { listTenantSessions, listUserSessions, showSession } from './list-sessions.ts';
import { nextToken } from './page.ts';
import { revokeSessions } from './revoke-sessions.ts';

const sessionPage = ({ items, next }: Page<SessionSummary>) => ({
  json: { status: 'OK', sessions: items.map((session) => ({ ...session })), nextPaginationToken: nextToken(next) },
});

/** Sessions, without anything of their tokens. */
export const SESSION_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/sessions',
    scope: 'tenant',
    needs: 'read',
    input: 'management/list-sessions',
    summary: 'The sessions of a tenant, the newest first, page by page',
    run: listTenantSessions,
    view: sessionPage,
  }),
  route({
    method: 'GET',
    path: '/manage/v1/user/sessions',
    scope: 'app',
    needs: 'read',
    input: 'management/list-user-sessions',
    summary: 'The sessions of a user in all tenants, page by page',
    run: listUserSessions,
    view: (result) => (result.status === 'OK' ? sessionPage(result) : { json: { ...result } }),
  }),
  route({
    method: 'GET',
    path: '/manage/v1/session',
    scope: 'app-any-tenant',
    needs: 'read',
    input: 'management/show-session',
    summary: 'A session by its handle',
    run: showSession,
    view: (session) => ({ json: session ? { status: 'OK', session: { ...session } } : { status: 'UNKNOWN_SESSION_ERROR' } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/session/revoke',
    scope: 'app-any-tenant',
    needs: 'users',
    input: 'management/revoke-sessions',
    summary: 'End sessions by their handles',
    tells: ['session.revoked'],
    run: revokeSessions,
    view: (revoked) => ({ json: { status: 'OK', sessionHandlesRevoked: [...revoked] } }),
  }),
];
