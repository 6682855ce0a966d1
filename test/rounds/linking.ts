import type { InProcessAnswer, InProcessCore } from '../in-process-core.ts';
import { done, type Made, PASSWORD, prepared, type Scenario } from './scenario.ts';

const linking = '/recipe/accountlinking/user';
const mapping = '/recipe/userid';

const makePrimary = (core: InProcessCore, recipeUserId: string): Promise<InProcessAnswer> =>
  done(core.call('POST', `${linking}/primary`, { recipeUserId }));
const link = (core: InProcessCore, recipeUserId: string, primaryUserId: string): Promise<InProcessAnswer> =>
  done(core.call('POST', `${linking}/link`, { recipeUserId, primaryUserId }), { accountsAlreadyLinked: false });
const map = (core: InProcessCore, superTokensUserId: string): Promise<InProcessAnswer> =>
  done(core.call('POST', `${mapping}/map`, { superTokensUserId, externalUserId: `outside-${superTokensUserId}`, force: true }));

/** Signs a second user up; answers its id. */
async function another(core: InProcessCore): Promise<string> {
  const body = { email: `other-${Math.random()}@example.com`, password: PASSWORD };
  return ((await core.call('POST', '/recipe/signup', body)).body as { readonly user: { readonly id: string } }).user.id;
}

/** Makes the user in `Made` primary; answers the id of one who stands alone. */
async function besidePrimary(core: InProcessCore, { userId }: Made): Promise<string> {
  await makePrimary(core, userId);
  return another(core);
}

/** The user in `Made`, who has a session, becomes the second member of another one's group; answers the id of the latter. */
async function inGroup(core: InProcessCore, { userId }: Made): Promise<string> {
  const primary = await another(core);
  await makePrimary(core, primary);
  await link(core, userId, primary);
  return primary;
}

/** The same; both members have external ids, a role and metadata. */
async function inFullGroup(core: InProcessCore, made: Made): Promise<void> {
  const primary = await inGroup(core, made);
  await done(core.call('PUT', '/recipe/role', { role: 'reader', permissions: [] }));
  for (const id of [made.userId, primary]) {
    await map(core, id);
    await done(core.call('PUT', '/recipe/user/metadata', { userId: `outside-${id}`, metadataUpdate: { a: 1 } }));
    await done(core.call('PUT', '/recipe/user/role', { userId: `outside-${id}`, role: 'reader' }));
  }
  await done(core.call('POST', '/recipe/user/password/reset/token', { userId: primary, email: made.email }));
}

/** A user without sessions, which stand in the way of a mapping. */
const withoutSessions = (core: InProcessCore, { userId }: Made): Promise<InProcessAnswer> =>
  done(core.call('POST', '/recipe/session/remove', { userId }));
const mapped = (core: InProcessCore, { userId }: Made): Promise<InProcessAnswer> => map(core, userId);

/** The endpoints of account linking, user-id mapping and the removal of users. */
export const LINKING_ROUNDS: readonly Scenario[] = [
  {
    endpoint: `GET ${linking}/primary/check`,
    budget: 2,
    play: (core, made) => done(core.call('GET', `${linking}/primary/check?recipeUserId=${made.userId}`)),
  },
  { endpoint: `POST ${linking}/primary`, budget: 3, play: (core, made) => makePrimary(core, made.userId) },
  prepared(`GET ${linking}/link/check`, 3, besidePrimary, (core, made, other) =>
    done(core.call('GET', `${linking}/link/check?recipeUserId=${other}&primaryUserId=${made.userId}`)),
  ),
  prepared(`POST ${linking}/link`, 5, besidePrimary, (core, made, other) => link(core, other, made.userId)),
  prepared(`POST ${linking}/unlink`, 3, inGroup, (core, made) =>
    done(core.call('POST', `${linking}/unlink`, { recipeUserId: made.userId }), { wasLinked: true, wasRecipeUserDeleted: false }),
  ),
  prepared(`POST ${linking}/unlink of the primary id`, 3, inGroup, (core, _, primary) =>
    done(core.call('POST', `${linking}/unlink`, { recipeUserId: primary }), { wasRecipeUserDeleted: true }),
  ),
  prepared(`POST ${mapping}/map`, 2, withoutSessions, (core, { userId }) =>
    done(core.call('POST', `${mapping}/map`, { superTokensUserId: userId, externalUserId: `outside-${userId}` })),
  ),
  { endpoint: `POST ${mapping}/map by force`, budget: 1, play: mapped },
  prepared(`GET ${mapping}/map`, 1, mapped, (core, made) => done(core.call('GET', `${mapping}/map?userId=${made.userId}`))),
  prepared(`PUT ${mapping}/external-user-id-info`, 2, mapped, (core, made) =>
    done(core.call('PUT', `${mapping}/external-user-id-info`, { userId: made.userId, externalUserIdInfo: 'info' })),
  ),
  prepared(`POST ${mapping}/map/remove`, 3, mapped, (core, made) =>
    done(core.call('POST', `${mapping}/map/remove`, { userId: `outside-${made.userId}` }), { didMappingExist: true }),
  ),
  { endpoint: 'POST /user/remove', budget: 4, play: (core, made) => done(core.call('POST', '/user/remove', { userId: made.userId })) },
  prepared('POST /user/remove of a full group', 6, inFullGroup, (core, made) =>
    done(core.call('POST', '/user/remove', { userId: made.userId })),
  ),
];
