import { type JsonText, RawJson } from '../../json/free-form.ts';
import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { getMetadata } from './get-metadata.ts';
import { metadataOfUsers } from './metadata-of-users.ts';
import { putMetadata } from './put-metadata.ts';
import { forgetMetadata } from './remove-metadata.ts';

const metadataAnswer = (text: JsonText): Answer => ({ json: { status: 'OK', metadata: new RawJson(text) } });

export const ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/recipe/user/metadata',
    scope: 'app',
    input: 'user-metadata/get-metadata',
    summary: 'What is kept about a user id',
    run: getMetadata,
    view: metadataAnswer,
  }),
  route({
    method: 'PUT',
    path: '/recipe/user/metadata',
    scope: 'app',
    input: 'user-metadata/put-metadata',
    response: 'user-metadata/get-metadata',
    summary: 'Merge into what is kept about a user id',
    tells: ['user.metadata-changed'],
    run: putMetadata,
    view: metadataAnswer,
  }),
  route({
    method: 'POST',
    path: '/recipe/user/metadata/remove',
    scope: 'app',
    input: 'user-metadata/remove-metadata',
    response: 'service/status-ok',
    summary: 'Forget what is kept about a user id',
    tells: ['user.metadata-removed'],
    run: forgetMetadata,
    view: () => ({ json: { status: 'OK' } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/user/metadata/bulk',
    scope: 'verb',
    input: 'user-metadata/metadata-of-users',
    summary: 'What is kept about several user ids',
    silence: 'reads',
    run: metadataOfUsers,
    view: (users) => ({
      json: {
        status: 'OK',
        users: users.map(({ userId, metadata }) => ({ userId, metadata: metadata === null ? null : new RawJson(metadata) })),
      },
    }),
  }),
];
