import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import {
  AccountLinking,
  EmailPassword,
  EmailVerification,
  type ExpressApp,
  Passwordless,
  Session,
  startApp,
  SuperTokens,
  ThirdParty,
} from './express-app.ts';
import { FrontEnd } from './front-end.ts';

/** The SDK links who has proved to own an email to whoever has it already, and asks the core for every step. */
const PASSWORD = 'correct-horse-1';
const APPLE_ID = 'apple';

let core: RunningCore;
let app: ExpressApp;
let number = 0;
const freshEmail = (): string => `linked-${(number += 1)}@example.com`;
const asRecipeUser = (id: string) => SuperTokens.convertToRecipeUserId(id);

beforeAll(async () => {
  core = await startCore();
  app = await startApp(core.url, undefined, [
    AccountLinking.init({
      shouldDoAutomaticAccountLinking: () => Promise.resolve({ shouldAutomaticallyLink: true, shouldRequireVerification: true }),
    }),
    EmailVerification.init({ mode: 'OPTIONAL' }),
    ThirdParty.init(),
    Passwordless.init({ contactMethod: 'EMAIL_OR_PHONE', flowType: 'USER_INPUT_CODE' }),
  ]);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

/** Signs up with a password; the email is not proved. */
async function withPassword(email = freshEmail()) {
  const front = new FrontEnd(app.url, 'header');
  const { body } = await front.signUp(email, PASSWORD);
  expect(body['status'], JSON.stringify(body)).toBe('OK');
  const { id } = body['user'] as { readonly id: string };
  return { front, email, id };
}

/** Signs up or in by a provider that has, or has not, checked the email. */
async function withApple(email: string, isVerified: boolean) {
  const made = await ThirdParty.manuallyCreateOrUpdateUser('public', APPLE_ID, `account of ${email}`, email, isVerified);
  if (made.status !== 'OK') throw new Error(made.status);
  return { id: made.user.id, recipeUserId: made.recipeUserId.getAsString(), user: made.user };
}

async function proveEmail(recipeUserId: string): Promise<void> {
  const made = await EmailVerification.createEmailVerificationToken('public', asRecipeUser(recipeUserId));
  if (made.status !== 'OK') throw new Error(made.status);
  expect(await EmailVerification.verifyEmailUsingToken('public', made.token)).toMatchObject({ status: 'OK' });
}

const methodsOf = async (id: string): Promise<string[] | undefined> =>
  (await SuperTokens.getUser(id))?.loginMethods.map((method) => method.recipeUserId.getAsString()).toSorted();

describe('a visitor', () => {
  test('who proves an email in two ways is one user, with one id in the session', async () => {
    const email = freshEmail();
    const first = await withApple(email, true);
    expect(first.user.isPrimaryUser).toBe(true);
    const { user, recipeUserId, ...second } = await Passwordless.signInUp({ tenantId: 'public', email });
    expect(second).toMatchObject({ status: 'OK', createdNewRecipeUser: true });
    expect(user.id).toBe(first.id);
    expect(user.loginMethods.map(({ recipeId }) => recipeId).toSorted()).toEqual(['passwordless', 'thirdparty']);
    const session = await Session.createNewSessionWithoutRequestResponse('public', recipeUserId);
    expect([session.getUserId(), session.getRecipeUserId().getAsString()]).toEqual([first.id, recipeUserId.getAsString()]);
  });

  test('who only claims the email of another is kept out', async () => {
    const email = freshEmail();
    await withApple(email, true);
    const front = new FrontEnd(app.url, 'header');
    expect((await front.signUp(email, PASSWORD)).body).toMatchObject({ status: 'SIGN_UP_NOT_ALLOWED' });
    expect(await SuperTokens.listUsersByAccountInfo('public', { email })).toHaveLength(1);
  });

  test('who proves the email of a password later is linked then', async () => {
    const { email, id } = await withPassword();
    expect((await SuperTokens.getUser(id))?.isPrimaryUser).toBe(false);
    await proveEmail(id);
    const apple = await withApple(email, true);
    const joined = await AccountLinking.createPrimaryUserIdOrLinkAccounts('public', asRecipeUser(id));
    expect(joined.id).toBe(apple.user.id);
    expect(await methodsOf(id)).toEqual([id, apple.recipeUserId].toSorted());
    expect((await new FrontEnd(app.url, 'header').signIn(email, PASSWORD)).body).toMatchObject({ status: 'OK', user: { id: joined.id } });
  });
});

describe('the back end', () => {
  test('makes a user primary, links another and takes it out again', async () => {
    const [primary, other] = [await withPassword(), await withPassword()];
    const [primaryId, otherId] = [asRecipeUser(primary.id), asRecipeUser(other.id)];
    expect(await AccountLinking.canLinkAccounts(otherId, primary.id)).toEqual({ status: 'INPUT_USER_IS_NOT_A_PRIMARY_USER' });
    expect(await AccountLinking.canCreatePrimaryUser(primaryId)).toEqual({ status: 'OK', wasAlreadyAPrimaryUser: false });
    expect(await AccountLinking.createPrimaryUser(primaryId)).toMatchObject({ status: 'OK', wasAlreadyAPrimaryUser: false });
    expect(await AccountLinking.createPrimaryUser(primaryId)).toMatchObject({ status: 'OK', wasAlreadyAPrimaryUser: true });

    expect(await AccountLinking.canLinkAccounts(otherId, primary.id)).toEqual({ status: 'OK', accountsAlreadyLinked: false });
    expect(await AccountLinking.linkAccounts(otherId, primary.id)).toMatchObject({
      status: 'OK',
      accountsAlreadyLinked: false,
      user: { id: primary.id, isPrimaryUser: true, emails: expect.arrayContaining([primary.email, other.email]) },
    });
    expect(await AccountLinking.linkAccounts(otherId, primary.id)).toMatchObject({ status: 'OK', accountsAlreadyLinked: true });
    // Linking ends the sessions that the linked user had.
    expect((await other.front.get('/me/checked')).status).toBe(401);
    expect((await primary.front.get('/me/checked')).status).toBe(200);

    expect(await AccountLinking.unlinkAccount(otherId)).toEqual({ status: 'OK', wasRecipeUserDeleted: false, wasLinked: true });
    expect(await methodsOf(primary.id)).toEqual([primary.id]);
    expect(await methodsOf(other.id)).toEqual([other.id]);
    expect(await AccountLinking.unlinkAccount(otherId)).toEqual({ status: 'OK', wasRecipeUserDeleted: false, wasLinked: false });
  });

  test('is told who is in the way', async () => {
    const owner = await withApple(freshEmail(), true);
    const rival = await withApple(`x${owner.user.emails[0]}`, true);
    const member = await withPassword();
    expect(await AccountLinking.linkAccounts(asRecipeUser(member.id), owner.id)).toMatchObject({ status: 'OK' });
    const wanted = { primaryUserId: owner.id };
    expect(await AccountLinking.linkAccounts(asRecipeUser(member.id), rival.id)).toMatchObject({
      status: 'RECIPE_USER_ID_ALREADY_LINKED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR',
      ...wanted,
    });
    expect(await AccountLinking.createPrimaryUser(asRecipeUser(member.id))).toMatchObject({
      status: 'RECIPE_USER_ID_ALREADY_LINKED_WITH_PRIMARY_USER_ID_ERROR',
      ...wanted,
    });
    const taken = 'ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR';
    const same = await ThirdParty.manuallyCreateOrUpdateUser('public', 'google', 'other account', freshEmail(), false);
    if (same.status !== 'OK') throw new Error(same.status);
    expect(await AccountLinking.isEmailChangeAllowed(same.recipeUserId, member.email, false)).toBe(false);
    expect(await AccountLinking.isEmailChangeAllowed(same.recipeUserId, member.email, true)).toBe(true);
    expect(await AccountLinking.isEmailChangeAllowed(asRecipeUser(rival.recipeUserId), member.email, true)).toBe(false);
    const moved = await EmailPassword.updateEmailOrPassword({
      recipeUserId: asRecipeUser(member.id),
      email: String(rival.user.emails[0]),
    });
    expect(moved.status).toBe('EMAIL_CHANGE_NOT_ALLOWED_ERROR');
    const imitation = await withPassword();
    // The SDK allows nobody to take an unproved email of a primary user; another back end may.
    const change = { recipeUserId: imitation.id, email: rival.user.emails[0] };
    await cdiClient(core.url).put('/recipe/user', change, { headers: { rid: 'emailpassword' } });
    expect(await AccountLinking.canCreatePrimaryUser(asRecipeUser(imitation.id))).toMatchObject({ status: taken, primaryUserId: rival.id });
  });

  test('removes one login method, or the user with all of them', async () => {
    const [primary, other] = [await withPassword(), await withPassword()];
    await AccountLinking.createPrimaryUser(asRecipeUser(primary.id));
    await AccountLinking.linkAccounts(asRecipeUser(other.id), primary.id);
    expect(await SuperTokens.deleteUser(primary.id, false)).toEqual({ status: 'OK' });
    // The user lives on under its id with what is left.
    expect(await methodsOf(primary.id)).toEqual([other.id]);
    expect((await new FrontEnd(app.url, 'header').signIn(other.email, PASSWORD)).body).toMatchObject({ user: { id: primary.id } });
    expect(await SuperTokens.deleteUser(other.id)).toEqual({ status: 'OK' });
    expect(await methodsOf(primary.id)).toBeUndefined();
    expect((await new FrontEnd(app.url, 'header').signIn(other.email, PASSWORD)).body['status']).toBe('WRONG_CREDENTIALS_ERROR');
  });
});

describe('ids of the application', () => {
  test('stand wherever an id is shown and are taken wherever one is asked for', async () => {
    const { email, id } = await withPassword();
    const externalUserId = `customer-${id}`;
    const given = { superTokensUserId: id, externalUserId };
    // The session of the sign-up stands in the way: it knows the user by the other id.
    await expect(SuperTokens.createUserIdMapping(given)).rejects.toThrow('UserId is already in use in Session recipe');
    await Session.revokeAllSessionsForUser(id);
    expect(await SuperTokens.createUserIdMapping({ ...given, externalUserIdInfo: 'from the old system' })).toEqual({ status: 'OK' });
    expect(await SuperTokens.createUserIdMapping(given)).toEqual({
      status: 'USER_ID_MAPPING_ALREADY_EXISTS_ERROR',
      doesSuperTokensUserIdExist: true,
      doesExternalUserIdExist: true,
    });
    const mapping = { status: 'OK', ...given, externalUserIdInfo: 'from the old system' };
    expect(await SuperTokens.getUserIdMapping({ userId: id, userIdType: 'SUPERTOKENS' })).toEqual(mapping);
    expect(await SuperTokens.getUserIdMapping({ userId: externalUserId, userIdType: 'EXTERNAL' })).toEqual(mapping);
    expect((await SuperTokens.getUserIdMapping({ userId: id, userIdType: 'EXTERNAL' })).status).toBe('UNKNOWN_MAPPING_ERROR');

    const back = new FrontEnd(app.url, 'header');
    expect((await back.signIn(email, PASSWORD)).body).toMatchObject({ status: 'OK', user: { id: externalUserId } });
    expect((await back.get('/me')).body).toMatchObject({ userId: externalUserId, claims: { sub: externalUserId, rsub: externalUserId } });
    expect(await Session.getAllSessionHandlesForUser(externalUserId)).toHaveLength(1);
    expect((await SuperTokens.getUser(externalUserId))?.emails).toEqual([email]);
    expect((await SuperTokens.getUser(id))?.id).toBe(externalUserId);
    const { users } = await SuperTokens.getUsersNewestFirst({ tenantId: 'public', limit: 1 });
    expect(users[0]?.id).toBe(externalUserId);
  });

  test('are noted, changed and taken away', async () => {
    const { id } = await withPassword();
    await Session.revokeAllSessionsForUser(id);
    const userId = `customer-${id}`;
    await SuperTokens.createUserIdMapping({ superTokensUserId: id, externalUserId: userId });
    expect(await SuperTokens.updateOrDeleteUserIdMappingInfo({ userId, externalUserIdInfo: 'noted' })).toEqual({ status: 'OK' });
    expect(await SuperTokens.getUserIdMapping({ userId })).toMatchObject({ externalUserIdInfo: 'noted' });
    expect(await SuperTokens.deleteUserIdMapping({ userId })).toEqual({ status: 'OK', didMappingExist: true });
    expect(await SuperTokens.deleteUserIdMapping({ userId })).toEqual({ status: 'OK', didMappingExist: false });
    expect((await SuperTokens.getUser(id))?.id).toBe(id);
    expect(await SuperTokens.getUser(userId)).toBeUndefined();
  });

  test('of a linked user are the primary one everywhere', async () => {
    const [primary, other] = [await withPassword(), await withPassword()];
    for (const { id } of [primary, other]) {
      await Session.revokeAllSessionsForUser(id);
      await SuperTokens.createUserIdMapping({ superTokensUserId: id, externalUserId: `customer-${id}` });
    }
    const outer = `customer-${primary.id}`;
    await AccountLinking.createPrimaryUser(asRecipeUser(outer));
    expect(await AccountLinking.linkAccounts(asRecipeUser(`customer-${other.id}`), outer)).toMatchObject({
      status: 'OK',
      user: { id: outer },
    });
    const front = new FrontEnd(app.url, 'header');
    await front.signIn(other.email, PASSWORD);
    expect((await front.get('/me')).body).toMatchObject({ userId: outer, claims: { sub: outer, rsub: `customer-${other.id}` } });
    expect(await SuperTokens.deleteUser(outer)).toEqual({ status: 'OK' });
    expect((await SuperTokens.getUserIdMapping({ userId: outer })).status).toBe('UNKNOWN_MAPPING_ERROR');
    expect((await front.get('/me/checked')).status).toBe(401);
  });
});
