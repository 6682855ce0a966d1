import { RawJson } from '../../json/free-form.ts';
import { type Route, route } from '../route.ts';
import { replaceMetadata } from '../user-metadata/replace-metadata.ts';
import { fullUserView } from '../users/views.ts';
import { disableUser, enableUser } from './disable-user.ts';
import { exportUsers } from './export-users.ts';
import { findUsersOf } from './find-users.ts';
import { readStatistics } from './read-statistics.ts';
import { removeKnownUser } from './remove-user.ts';
import { showUser } from './show-user.ts';
import { signOutUser } from './sign-out-user.ts';
import { unlockUser } from './unlock-user.ts';

const asItIs = (result: { readonly status: string }) => ({ json: { ...result } });

/** Users, and what happens in an app. */
export const USER_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/user',
    scope: 'app',
    needs: 'read',
    input: 'management/show-user',
    summary: 'Everything about a user: login methods, locks, roles, devices, sessions',
    run: showUser,
    view: (shown, { traits }) => ({
      json:
        shown.status !== 'OK'
          ? { ...shown }
          : {
              ...shown,
              user: fullUserView(shown.user, traits.webauthnInUsers),
              locked: { ...shown.locked },
              roles: shown.roles.map((each) => ({ ...each })),
              totpDevices: shown.totpDevices.map((each) => ({ ...each })),
              passkeys: shown.passkeys.map((each) => ({ ...each })),
            },
    }),
  }),
  route({
    method: 'GET',
    path: '/manage/v1/users',
    scope: 'tenant',
    needs: 'read',
    input: 'management/find-users',
    summary: 'Users of a tenant by email, phone number, provider, id, passkey or metadata, page by page',
    run: findUsersOf,
    view: ({ users, nextPaginationToken }, { traits }) => ({
      json: { status: 'OK', users: users.map((user) => fullUserView(user, traits.webauthnInUsers)), nextPaginationToken },
    }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/user/disable',
    scope: 'app',
    needs: 'users',
    input: 'management/user-of-id',
    response: 'management/disable-user',
    summary: 'Let a user sign in no more, and end all sessions',
    tells: ['user.disabled'],
    run: disableUser,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/manage/v1/user/enable',
    scope: 'app',
    needs: 'users',
    input: 'management/user-of-id',
    response: 'management/known-user',
    summary: 'Let a disabled user sign in again',
    tells: ['user.enabled'],
    run: enableUser,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/manage/v1/user/unlock',
    scope: 'tenant',
    needs: 'users',
    input: 'management/unlock-user',
    response: 'management/known-user',
    summary: 'Forget failed sign-ins and wrong TOTP codes of a user',
    tells: ['user.unlocked'],
    run: unlockUser,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/manage/v1/user/sign-out',
    scope: 'app',
    needs: 'users',
    input: 'management/user-of-id',
    response: 'management/disable-user',
    summary: 'End all sessions of a user',
    tells: ['user.signed-out'],
    run: signOutUser,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/manage/v1/user/remove',
    scope: 'app',
    needs: 'users',
    input: 'management/remove-user',
    response: 'management/known-user',
    summary: 'Remove a user, or one of its login methods',
    tells: ['user.removed'],
    run: removeKnownUser,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/manage/v1/user/metadata',
    scope: 'app',
    needs: 'users',
    input: 'management/replace-metadata',
    summary: 'Write all metadata of a user anew, unless somebody else changed them meanwhile',
    tells: ['user.metadata-changed'],
    run: replaceMetadata,
    view: ({ status, metadata }) => ({ json: { status, metadata: new RawJson(metadata) } }),
  }),
  route({
    method: 'GET',
    path: '/manage/v1/export/users',
    scope: 'app',
    needs: 'all',
    input: 'management/export-users',
    summary: 'Users of an app with hashes and TOTP secrets, as `watchword export` writes them, page by page',
    silence: 'secrets',
    run: exportUsers,
    view: ({ users, losses, nextPaginationToken }) => ({
      json: { status: 'OK', users: users.map((user) => new RawJson(user)), losses: { ...losses }, nextPaginationToken },
    }),
  }),
  route({
    method: 'GET',
    path: '/manage/v1/statistics',
    scope: 'app',
    needs: 'read',
    input: 'management/read-statistics',
    summary: 'What happened in an app, day by day',
    run: readStatistics,
    view: (days) => ({ json: { status: 'OK', days: days.map((day) => ({ ...day })) } }),
  }),
];
