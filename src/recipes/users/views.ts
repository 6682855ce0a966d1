import type { Traits } from '../../cdi/traits.ts';
import type { JsonValue } from '../../json/free-form.ts';
import { type LoginMethod, timeJoinedOf, type User } from './user.ts';

type JsonMembers = { readonly [name: string]: JsonValue };

const distinct = (values: readonly (string | null)[]): string[] => [...new Set(values.filter((value) => value !== null))];

/** The user in the shape of the caller's CDI version (contract 01 section 8.3). */
export function userView(user: User, traits: Traits): JsonMembers {
  return traits.accountLinking ? fullUserView(user, traits.webauthnInUsers) : legacyUserView(user, traits.tenants);
}

/** The members `user` and, where the version has it, `recipeUserId` of an answer to a sign-in. */
export function signedInView({ user, recipeUserId }: { user: User; recipeUserId: string }, traits: Traits): JsonMembers {
  return { user: userView(user, traits), recipeUserId: traits.accountLinking ? recipeUserId : undefined };
}

/** An element of a user list; below CDI 4.0 with the recipe of its oldest login method (contract 01 section 8.3). */
export function listedUserView(user: User, traits: Traits): JsonMembers {
  return traits.accountLinking ? userView(user, traits) : { recipeId: legacyMethodOf(user)?.recipe, user: userView(user, traits) };
}

/** Whether callers of a version can be shown a user: below CDI 4.0 they know nothing of those with passkeys only. */
export function isShown(user: User, traits: Traits): boolean {
  return traits.accountLinking || legacyMethodOf(user) !== undefined;
}

/** The login method that callers below CDI 4.0 take for the user: the oldest of a recipe that they know. */
const legacyMethodOf = (user: User): LoginMethod | undefined => user.loginMethods.find(({ recipe }) => recipe !== 'webauthn');

/** Full user JSON (contract 01 section 8.1). */
export function fullUserView(user: User, withWebauthn: boolean): JsonMembers {
  const methods = user.loginMethods;
  const thirdParty = new Map(
    methods.flatMap(({ thirdParty: pair }) => (pair ? [[JSON.stringify([pair.id, pair.userId]), pair] as const] : [])),
  );
  return {
    id: user.id,
    isPrimaryUser: user.isPrimaryUser,
    tenantIds: distinct(methods.flatMap((method) => method.tenantIds)),
    timeJoined: timeJoinedOf(user),
    emails: distinct(methods.filter((method) => withWebauthn || method.recipe !== 'webauthn').map((method) => method.email)),
    phoneNumbers: distinct(methods.map((method) => method.phoneNumber)),
    thirdParty: [...thirdParty.values()],
    ...(withWebauthn ? { webauthn: { credentialIds: distinct(methods.flatMap((method) => method.credentialIds ?? [])) } } : {}),
    loginMethods: methods.map((method) => loginMethodView(method, withWebauthn)),
  };
}

function loginMethodView(method: LoginMethod, withWebauthn: boolean): JsonMembers {
  return {
    tenantIds: method.tenantIds,
    recipeUserId: method.recipeUserId,
    verified: method.verified,
    timeJoined: method.timeJoined,
    recipeId: method.recipe,
    email: method.email ?? undefined,
    phoneNumber: method.phoneNumber ?? undefined,
    thirdParty: method.thirdParty ?? undefined,
    webauthn: withWebauthn && method.credentialIds ? { credentialIds: method.credentialIds } : undefined,
  };
}

/** What callers below CDI 4.0 see: the oldest login method alone (contract 01 section 8.2). */
function legacyUserView(user: User, withTenantIds: boolean): JsonMembers {
  const method = legacyMethodOf(user);
  if (!method) throw new Error('a user has a login method that callers below CDI 4.0 know');
  return {
    id: method.recipeUserId,
    timeJoined: method.timeJoined,
    tenantIds: withTenantIds ? method.tenantIds : undefined,
    email: method.email ?? undefined,
    phoneNumber: method.phoneNumber ?? undefined,
    thirdParty: method.thirdParty ?? undefined,
  };
}
