import { core, ok } from '../../app/api.ts';
import { inTenant, PUBLIC } from '../../app/place.ts';
import type { components } from '../../generated/api.ts';

/** A user as the core shows it. */
export type User = components['schemas']['UsersFullUser'];
export type LoginMethod = User['loginMethods'][number];

/** Everything about a user. */
export type UserAnswer = Extract<components['schemas']['ManagementShowUserAnswer'], { readonly status: 'OK' }>;

/** What each part of the page gets. */
export interface UserPart {
  readonly shown: UserAnswer;
  /** Asks for everything again. */
  readonly reload: () => void;
}

/** What people call a login method. */
export const nameOfMethod = ({ email, phoneNumber, thirdParty, recipeUserId }: LoginMethod): string =>
  email ?? phoneNumber ?? (thirdParty && `${thirdParty.id}: ${thirdParty.userId}`) ?? recipeUserId;

/** What people call a user. */
export const nameOfUser = ({ emails, phoneNumbers, thirdParty, id }: User): string =>
  emails[0] ?? phoneNumbers[0] ?? thirdParty[0]?.userId ?? id;

/** The core at a tenant that a login method is in; at the public one where it is in none. */
export const coreOf = ({ tenantIds }: Pick<LoginMethod, 'tenantIds'>): ReturnType<typeof core> => core(inTenant(tenantIds[0] ?? PUBLIC));

/** Asked before what the core keeps for every id, whether a user has it or not. @throws Refused where there is no such user */
export const mustBeThere = (userId: string): Promise<UserAnswer> => ok(core().GET('/manage/v1/user', { params: { query: { userId } } }));
