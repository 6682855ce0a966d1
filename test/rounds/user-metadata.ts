import { plain, type Scenario } from './scenario.ts';

/** The endpoints of metadata. */
export const USER_METADATA_ROUNDS: readonly Scenario[] = [
  plain(1, 'PUT /recipe/user/metadata', { userId: 'u', metadataUpdate: { a: 1 } }),
  plain(1, 'GET /recipe/user/metadata?userId=u'),
  plain(1, 'POST /recipe/user/metadata/bulk', { userIds: ['u', 'v'] }),
  plain(1, 'POST /recipe/user/metadata/remove', { userId: 'u' }),
];
