import { RawJson } from '../../json/free-form.ts';
import { type Route, route } from '../route.ts';
import { fullUserView } from '../users/views.ts';
import { addUsers } from './add-users.ts';
import { countQueue } from './count-queue.ts';
import { importNow } from './import-now.ts';
import { listQueue } from './list-queue.ts';
import { listQueueSummaries } from './queue-summaries.ts';
import { removeFromQueue } from './remove-from-queue.ts';
import { retryFailed } from './retry-failed.ts';

/** The queue of users to be imported. */
const QUEUE_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/bulk-import/users',
    scope: 'verb',
    rawInput: 'bulk-import/add-users',
    response: 'bulk-import/add-users',
    summary: 'Put users into the import queue, at most 10,000 at a time',
    silence: 'queue',
    run: addUsers,
    view: (jsonBytes) => ({ jsonBytes }),
  }),
  route({
    method: 'GET',
    path: '/bulk-import/users',
    scope: 'app',
    input: 'bulk-import/list-queue',
    summary: 'Users in the import queue, newest first',
    silence: 'secrets',
    run: listQueue,
    view: ({ users, nextPaginationToken }) => ({
      json: { status: 'OK', users: users.map((text) => new RawJson(text)), nextPaginationToken },
    }),
  }),
  route({
    method: 'GET',
    path: '/bulk-import/users/count',
    scope: 'app',
    input: 'bulk-import/count-queue',
    summary: 'How many users are in the import queue',
    run: countQueue,
    view: (count) => ({ json: { status: 'OK', count } }),
  }),
  route({
    method: 'POST',
    path: '/bulk-import/users/remove',
    scope: 'verb',
    input: 'bulk-import/remove-from-queue',
    summary: 'Remove users from the import queue',
    silence: 'queue',
    run: removeFromQueue,
    view: ({ deletedIds, invalidIds }) => ({ json: { deletedIds, invalidIds } }),
  }),
];

/** The queue, as operators see it. */
const MANAGEMENT_ROWS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/imports',
    scope: 'app',
    needs: 'read',
    input: 'bulk-import/list-imports',
    summary: 'Users in the import queue without their secrets, newest first, page by page',
    run: listQueueSummaries,
    view: ({ users, nextPaginationToken }) => ({
      json: { status: 'OK', imports: users.map((user) => ({ ...user })), nextPaginationToken },
    }),
  }),
  route({
    method: 'POST',
    path: '/manage/v1/imports/retry',
    scope: 'app',
    needs: 'all',
    input: 'bulk-import/retry-imports',
    summary: 'Try users of the import queue again who could not be imported',
    silence: 'queue',
    run: retryFailed,
    view: (ids) => ({ json: { status: 'OK', ids: [...ids] } }),
  }),
];

const IMPORT_NOW = route({
  method: 'POST',
  path: '/bulk-import/import',
  scope: 'app',
  input: 'bulk-import/import-now',
  summary: 'Import one user at once',
  tells: ['user.imported'],
  run: importNow,
  view: (user, { traits }) => ({ json: { status: 'OK', user: fullUserView(user, traits.webauthnInUsers) } }),
});

/** Bulk import of users (contract 05 section 6). */
export const ROUTES: readonly Route[] = [...QUEUE_ROWS, IMPORT_NOW, ...MANAGEMENT_ROWS];
