import type { Context } from '../context.ts';
import { listAnswer } from '../list-answer.ts';
import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { coreConfig } from './core-config.ts';
import { createDashboardUser } from './create-user.ts';
import { listSessions } from './list-sessions.ts';
import { listUsers } from './list-users.ts';
import type { DashboardSessionRecord, DashboardUserRecord } from './records.ts';
import { removeUser } from './remove-user.ts';
import { revokeSession } from './revoke-session.ts';
import { signIn } from './sign-in.ts';
import { type UpdateUserResult, updateUser } from './update-user.ts';
import { requireUserName } from './user-lookup.ts';
import { type VerifySessionResult, verifySession } from './verify-session.ts';

/** A user as it is shown; never with the hash. */
const userJson = ({ email, id, timeJoined }: DashboardUserRecord) => ({ email, userId: id, timeJoined });

const sessionJson = ({ userId, id, createdAt, expiresAt }: DashboardSessionRecord) => ({
  userId,
  sessionId: id,
  timeCreated: createdAt,
  expiry: expiresAt,
});

function userAnswer(result: UpdateUserResult): Answer {
  return { json: result.status === 'OK' ? { status: 'OK', user: userJson(result.user) } : result };
}

function verifyAnswer(result: VerifySessionResult, { traits }: Context): Answer {
  return { json: result.status === 'OK' && !traits.dashboardSessionEmail ? { status: 'OK' } : result };
}

const USER_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/dashboard/user',
    scope: 'verb',
    input: 'dashboard/create-user',
    summary: 'Create a dashboard user',
    tells: ['operator.created'],
    run: createDashboardUser,
    view: userAnswer,
  }),
  route({
    method: 'PUT',
    path: '/recipe/dashboard/user',
    scope: 'verb',
    input: 'dashboard/update-user',
    summary: 'Change email or password of a dashboard user and end the sessions',
    tells: ['operator.changed'],
    run: updateUser,
    view: userAnswer,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/dashboard/user',
    scope: 'app',
    input: 'dashboard/remove-user',
    summary: 'Remove a dashboard user with all sessions',
    tells: ['operator.removed'],
    early: requireUserName,
    run: removeUser,
    view: (didUserExist) => ({ json: { status: 'OK', didUserExist } }),
  }),
  route({
    method: 'GET',
    path: '/recipe/dashboard/users',
    scope: 'app',
    response: 'dashboard/list-users',
    summary: 'All dashboard users of the app',
    run: listUsers,
    view: (users) => listAnswer('users', users, userJson),
  }),
];

const SESSION_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/dashboard/signin',
    scope: 'app',
    input: 'dashboard/sign-in',
    summary: 'Sign a dashboard user in',
    tells: ['operator.signed-in', 'sign-in.blocked'],
    run: signIn,
    tallies: 'dashboard',
    view: (result) => ({ json: result }),
  }),
  route({
    method: 'POST',
    path: '/recipe/dashboard/session/verify',
    scope: 'app',
    input: 'dashboard/verify-session',
    summary: 'Verify a dashboard session',
    silence: 'reads',
    run: verifySession,
    view: verifyAnswer,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/dashboard/session',
    scope: 'app',
    input: 'dashboard/revoke-session',
    response: 'service/status-ok',
    summary: 'End a dashboard session',
    tells: ['operator.signed-out'],
    run: revokeSession,
    view: () => ({ json: { status: 'OK' } }),
  }),
  route({
    method: 'GET',
    path: '/recipe/dashboard/user/sessions',
    scope: 'app',
    input: 'dashboard/list-sessions',
    summary: 'Sessions of a dashboard user',
    run: listSessions,
    view: (sessions) => listAnswer('sessions', sessions, sessionJson),
  }),
];

const CONFIG_ROWS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/recipe/dashboard/tenant/core-config',
    scope: 'tenant',
    response: 'dashboard/core-config',
    summary: 'Options of a tenant, for the dashboard',
    run: coreConfig,
    view: (config) => ({ json: { status: 'OK', config } }),
  }),
];

/** Users and sessions of the dashboard, and the options it shows (contract 05 section 5). */
export const ROUTES: readonly Route[] = [...USER_ROWS, ...SESSION_ROWS, ...CONFIG_ROWS];
