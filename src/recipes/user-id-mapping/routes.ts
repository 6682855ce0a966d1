import { type Route, route } from '../route.ts';
import { createMapping } from './create-mapping.ts';
import { getMapping } from './get-mapping.ts';
import { putExternalInfo } from './put-external-info.ts';
import { removeUserIdMapping } from './remove-mapping.ts';

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/userid/map',
    scope: 'app-existing-first',
    input: 'user-id-mapping/create-mapping',
    summary: 'Give a user an id of the application',
    tells: ['mapping.created'],
    run: createMapping,
    view: (result) => ({ json: { ...result } }),
  }),
  route({
    method: 'GET',
    path: '/recipe/userid/map',
    scope: 'app-by-itself',
    input: 'user-id-mapping/get-mapping',
    summary: 'The mapping of a user id',
    run: getMapping,
    view: (mapping) => {
      if (!mapping) return { json: { status: 'UNKNOWN_MAPPING_ERROR' } };
      const { superTokensUserId, externalUserId, externalUserIdInfo } = mapping;
      return { json: { status: 'OK', superTokensUserId, externalUserId, externalUserIdInfo: externalUserIdInfo ?? undefined } };
    },
  }),
  route({
    method: 'POST',
    path: '/recipe/userid/map/remove',
    scope: 'app-by-itself',
    input: 'user-id-mapping/remove-mapping',
    summary: 'Take a user the id of the application',
    tells: ['mapping.removed'],
    run: removeUserIdMapping,
    view: (didMappingExist) => ({ json: { status: 'OK', didMappingExist } }),
  }),
  route({
    method: 'PUT',
    path: '/recipe/userid/external-user-id-info',
    scope: 'app-by-itself',
    input: 'user-id-mapping/put-external-info',
    summary: 'Change what is noted beside a mapping',
    tells: ['mapping.changed'],
    run: putExternalInfo,
    view: (status) => ({ json: { status } }),
  }),
];
