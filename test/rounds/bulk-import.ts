import type { InProcessCore } from '../in-process-core.ts';
import { plain, type Scenario } from './scenario.ts';

const PATH = '/bulk-import/import';
const QUEUE = '/bulk-import/users';
const PASSWORD = 'validPass123';
let number = 0;

/** A user with everything that an import may bring; its role has to be there. */
function everything() {
  const id = `imported-${(number += 1)}`;
  return {
    externalUserId: id,
    userMetadata: { a: 1 },
    userRoles: ['imported'],
    totpDevices: [{ secretKey: 'MFRGG' }],
    loginMethods: [
      { recipeId: 'emailpassword', email: `${id}@example.com`, plainTextPassword: PASSWORD, isPrimary: true, isVerified: true },
      { recipeId: 'thirdparty', email: `${id}@example.com`, thirdPartyId: 'google', thirdPartyUserId: id, isVerified: true },
    ],
  };
}

async function importEverything(core: InProcessCore) {
  await core.call('PUT', '/recipe/role', { role: 'imported' });
  core.takeRounds();
  return core.call('POST', PATH, everything());
}

/** The endpoints of the queue. */
const QUEUE_ROUNDS: readonly Scenario[] = [
  // All roles and tenants of the app; users with random ids are written unread, however many there are.
  plain(1, `POST ${QUEUE}`, {
    users: [1, 2, 3].map((n) => ({ loginMethods: [{ recipeId: 'passwordless', email: `q${n}@example.com` }] })),
  }),
  plain(2, `GET ${QUEUE}`),
  plain(1, `GET ${QUEUE}/count`),
  plain(1, `POST ${QUEUE}/remove`, { ids: ['a', 'b', 'c'] }),
  plain(2, 'GET /manage/v1/imports'),
  plain(1, 'POST /manage/v1/imports/retry', { ids: ['a', 'b', 'c'] }),
];

/** The endpoints of bulk import. */
export const BULK_IMPORT_ROUNDS: readonly Scenario[] = [
  ...QUEUE_ROUNDS,
  // What the user names; the same in the transaction; what stands against it; what is written over; and the whole user for the answer.
  { endpoint: `POST ${PATH}`, budget: 7, play: importEverything },
  {
    endpoint: `POST ${PATH} with a password only`,
    budget: 5,
    play: (core) => {
      const method = { recipeId: 'emailpassword', email: `imported-${(number += 1)}@example.com`, plainTextPassword: PASSWORD };
      return core.call('POST', PATH, { loginMethods: [method] });
    },
  },
];
