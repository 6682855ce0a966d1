import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { cookieWith, NO_COOKIE } from './cookies.ts';
import { addOperator, grant, revoke } from './grant.ts';
import type { SignedInFacts } from './operator-facts.ts';
import { endSessions, listOperators, removeTotpOf } from './operators.ts';
import { changeOwnPassword } from './own-password.ts';
import { endOwnSessions, listOwnSessions } from './own-sessions.ts';
import { beginTotp, removeTotp, verifyTotp } from './own-totp.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { whoAmI } from './who-am-i.ts';

/** What tells of a session stays in no cache. */
const cacheControl = 'no-store';

type Entered = { readonly status: 'OK'; readonly facts: SignedInFacts; readonly token: string };
type NotEntered = { readonly status: string; readonly message?: string };

const factsJson = ({ operator, session, ...facts }: SignedInFacts) => ({
  ...facts,
  operator: { ...operator, scopes: [...operator.scopes] },
  session: { ...session },
});

/** Who is signed in from now on, with the cookie of the session. */
function entered(result: Entered | NotEntered): Answer {
  if (!('token' in result)) return { json: { ...result }, cacheControl };
  return { json: factsJson(result.facts), cookie: cookieWith(result.token), cacheControl };
}

const SIGN_IN_ROWS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/operator',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'open',
    input: undefined,
    response: 'admin/who-am-i',
    summary: 'Who is signed in in this browser, and where nobody is, whether somebody could',
    run: whoAmI,
    view: (result) => ({ json: result.status === 'OK' ? factsJson(result) : { ...result }, cacheControl }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operator/sign-in',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'open',
    input: 'admin/sign-in',
    summary: 'Sign an operator in with password and one-time code; the answer sets the cookie of a new session',
    tells: ['operator.signed-in', 'sign-in.blocked'],
    run: signIn,
    view: entered,
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operator/sign-out',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'session',
    input: undefined,
    response: 'service/status-ok',
    summary: 'End the session of this browser',
    tells: ['operator.signed-out'],
    run: signOut,
    view: () => ({ json: { status: 'OK' }, cookie: NO_COOKIE, cacheControl }),
  }),
];

const OWN_ROWS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/operator/sessions',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'session',
    input: undefined,
    response: 'admin/list-own-sessions',
    summary: 'The sessions of the operator who is signed in',
    run: listOwnSessions,
    view: (sessions) => ({ json: { status: 'OK', sessions: sessions.map((session) => ({ ...session })) }, cacheControl }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operator/sessions/end',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'session',
    input: 'admin/end-own-sessions',
    response: 'admin/sessions-ended',
    summary: 'End one of them, or all but that of this browser',
    tells: ['operator.sessions-ended'],
    run: endOwnSessions,
    view: (ended) => ({ json: { status: 'OK', ended } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operator/password',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'session',
    input: 'admin/change-password',
    summary: 'Change the own password; all other sessions end',
    tells: ['operator.changed', 'sign-in.blocked'],
    run: changeOwnPassword,
    view: entered,
  }),
];

const TOTP_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/manage/v1/operator/totp',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'session',
    input: 'admin/begin-totp',
    summary: 'Show the secret for an app that makes one-time codes',
    silence: 'step',
    run: beginTotp,
    view: (result) => ({ json: { ...result }, cacheControl }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operator/totp/verify',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'session',
    input: 'admin/verify-totp',
    summary: 'Prove by a code that the app works; from then on a sign-in needs one, and all other sessions end',
    tells: ['operator.totp-enrolled', 'sign-in.blocked'],
    run: verifyTotp,
    view: entered,
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operator/totp/remove',
    scope: 'base',
    apiKey: false,
    needs: 'read',
    browser: 'session',
    input: 'admin/remove-totp',
    summary: 'Sign in without one-time codes from now on; all other sessions end',
    tells: ['operator.totp-removed', 'sign-in.blocked'],
    run: removeTotp,
    view: entered,
  }),
];

const ofOperator = (result: object | undefined): Answer => ({
  json: result ? { status: 'OK', ...result } : { status: 'UNKNOWN_USER_ERROR' },
});

const OPERATOR_ROWS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/operators',
    scope: 'base',
    needs: 'all',
    input: undefined,
    response: 'admin/list-operators',
    summary: 'Dashboard users with a role on the admin page, and their sessions',
    run: listOperators,
    view: (operators) => ({
      json: { status: 'OK', operators: operators.map((one) => ({ ...one, sessions: one.sessions.map((session) => ({ ...session })) })) },
    }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operators/add',
    scope: 'base',
    needs: 'all',
    input: 'admin/add-operator',
    summary: 'Make a dashboard user with a role',
    tells: ['operator.created', 'operator.granted'],
    run: addOperator,
    view: (result) => ({ json: result.status === 'OK' ? { status: 'OK', userId: result.user.id } : { ...result } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operators/grant',
    scope: 'base',
    needs: 'all',
    input: 'admin/grant',
    summary: 'Give a dashboard user a role in the place of any other; the sessions end',
    tells: ['operator.granted'],
    run: grant,
    view: (result) => ({ json: { ...result } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operators/revoke',
    scope: 'base',
    needs: 'all',
    input: 'admin/revoke',
    summary: 'Take the role away; the sessions end, and TOTP is forgotten',
    tells: ['operator.revoked'],
    run: revoke,
    view: (didExist) => ({ json: { status: 'OK', didExist } }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operators/sessions/end',
    scope: 'base',
    needs: 'all',
    input: 'admin/end-sessions',
    response: 'admin/sessions-ended',
    summary: 'End all sessions of an operator',
    tells: ['operator.sessions-ended'],
    run: endSessions,
    view: (ended) => ofOperator(ended === undefined ? undefined : { ended }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/operators/totp/remove',
    scope: 'base',
    needs: 'all',
    input: 'admin/remove-totp-of',
    summary: 'Let an operator who lost the device sign in without one-time codes; the sessions end',
    tells: ['operator.totp-removed'],
    run: removeTotpOf,
    view: (didExist) => ofOperator(didExist === undefined ? undefined : { didExist }),
  }),
];

/** Operators: how they sign in, what they do for themselves, and who is one. */
export const ROUTES: readonly Route[] = [...SIGN_IN_ROWS, ...OWN_ROWS, ...TOTP_ROWS, ...OPERATOR_ROWS];
