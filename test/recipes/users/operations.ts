import * as fc from 'fast-check';
import { checkLink, linkAccounts } from '../../../src/recipes/account-linking/link.ts';
import { checkPrimary, makePrimaryUser } from '../../../src/recipes/account-linking/make-primary.ts';
import { unlinkAccount } from '../../../src/recipes/account-linking/unlink.ts';
import type { Context } from '../../../src/recipes/context.ts';
import { createResetToken } from '../../../src/recipes/email-password/create-reset-token.ts';
import { markEmailVerified } from '../../../src/recipes/email-verification/lookups.ts';
import { devices } from '../../../src/recipes/passwordless/records.ts';
import { Refusal } from '../../../src/recipes/refusal.ts';
import { type SessionRecord, sessions } from '../../../src/recipes/session-records/records.ts';
import { createMapping } from '../../../src/recipes/user-id-mapping/create-mapping.ts';
import { removeUserIdMapping } from '../../../src/recipes/user-id-mapping/remove-mapping.ts';
import { findId } from '../../../src/recipes/accounts/find.ts';
import { identityOf } from '../../../src/recipes/accounts/identity.ts';
import { addLoginMethod, changeLoginMethod, newLoginMethod } from '../../../src/recipes/accounts/login-methods.ts';
import { removeUser } from '../../../src/recipes/users/remove-user.ts';
import { joinTenant, leaveTenant } from '../../../src/recipes/accounts/tenant-membership.ts';
import type { User } from '../../../src/recipes/users/user.ts';
import type { AppNumber, TenantNumber } from '../../../src/store/store.ts';

/** Users are named by the order of their sign-ups, whether these succeed or not; `x…` are ids that they may be mapped to. */
const USERS = ['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7'];
const EXTERNAL_IDS = ['x0', 'x1', 'x2'];

const tenant = fc.constantFrom(0 as const, 1 as const);
const email = fc.constantFrom('a@x', 'b@x', 'c@x', 'd@x');
const phone = fc.constantFrom('+1', '+2');
const account = fc.constantFrom('g0', 'g1', 'g2');
const someone = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...USERS.slice(0, 5)) },
  { weight: 1, arbitrary: fc.constantFrom(...USERS) },
);
const anyId = fc.oneof({ weight: 7, arbitrary: someone }, { weight: 1, arbitrary: fc.constantFrom(...EXTERNAL_IDS) });
/** Few become primary, so that others find one to be linked to. */
const candidate = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('u0', 'u1') }, { weight: 1, arbitrary: anyId });
const isForced = fc.boolean();

const signUp = fc.oneof(
  fc.record({ recipe: fc.constant('emailpassword' as const), tenant, email }),
  fc.record({ recipe: fc.constant('thirdparty' as const), tenant, email, account }),
  fc.record({ recipe: fc.constant('passwordless' as const), tenant, email }),
  fc.record({ recipe: fc.constant('passwordless' as const), tenant, phone }),
);
const contact = fc.oneof(fc.tuple(fc.constant('email' as const), email), fc.tuple(fc.constant('phone' as const), phone));

/** Anything but a sign-up. */
const laterStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('primary' as const), id: candidate }) },
  { weight: 12, arbitrary: fc.record({ act: fc.constant('link' as const), id: anyId, to: candidate }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('unlink' as const), id: anyId }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('change' as const), id: anyId, contact }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('join' as const), id: anyId, tenant }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('leave' as const), id: anyId, tenant }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('map' as const),
      id: someone,
      externalId: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...EXTERNAL_IDS) },
        { weight: 1, arbitrary: fc.constantFrom('u0' as const, 'u1' as const) },
      ),
      isForced,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('unmap' as const),
      id: anyId,
      type: fc.constantFrom('ANY' as const, 'SUPERTOKENS' as const, 'EXTERNAL' as const),
      isForced,
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('remove' as const), id: anyId, withLinked: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('session' as const), id: anyId, tenant }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('verify' as const), id: anyId }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('reset' as const), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('device' as const), tenant, contact }) },
);

export interface SignUpStep {
  readonly act: 'sign-up';
  /** Its internal id when it succeeds. */
  readonly id: string;
  readonly recipe: 'emailpassword' | 'thirdparty' | 'passwordless';
  readonly tenant: 0 | 1;
  readonly email?: string;
  readonly phone?: string;
  readonly account?: string;
}
export type LaterStep = typeof laterStep extends fc.Arbitrary<infer S> ? S : never;
export type Step = SignUpStep | LaterStep;

/** Sign-ups first, so that there is something to work on, then everything. */
export const steps = (most: number): fc.Arbitrary<Step[]> =>
  fc
    .tuple(
      fc.array(signUp, { minLength: 5, maxLength: USERS.length, size: 'max' }),
      fc.array(laterStep, { minLength: 1, maxLength: most, size: 'max' }),
    )
    .map(([first, later]) => [...first.map((each, at) => ({ ...each, act: 'sign-up' as const, id: `u${at}` })), ...later]);

/** What came of a step as one line: equal lines are equal answers. */
export type Outcome = string;

const userLine = (user: User): string =>
  `user=${user.id}(${user.loginMethods
    .map((method) => method.recipeUserId)
    .toSorted()
    .join()})`;

function line({ status, user, ...members }: { readonly status: string; readonly user?: User }): Outcome {
  const shown = Object.entries(members).map(([name, value]) => `${name}=${String(value)}`);
  return [status, ...shown.toSorted(), ...(user ? [userLine(user)] : [])].join(' ');
}

/**
 * Takes a step in a context; refusals are outcomes too.
 * @param isAlone nobody works beside it, so that the check endpoints must foretell what happens
 */
export async function perform(context: Context, step: Step, isAlone: boolean): Promise<Outcome> {
  try {
    const foretold = isAlone ? await foretell(context, step) : undefined;
    const outcome = await take(context, step);
    if (foretold !== undefined && !outcome.startsWith(foretold)) throw new Error(`foretold: ${foretold}, done: ${outcome}`);
    return outcome;
  } catch (error) {
    if (error instanceof Refusal) return `400 ${(error.details as { readonly text?: string } | undefined)?.text ?? error.refusal}`;
    throw error;
  }
}

async function take(context: Context, step: Step): Promise<Outcome> {
  switch (step.act) {
    case 'sign-up':
      return signUpAs(context, step);
    case 'primary':
      return line(await makePrimaryUser(context, { recipeUserId: step.id }));
    case 'link':
      return line(await linkAccounts(context, { recipeUserId: step.id, primaryUserId: step.to }));
    case 'unlink':
      return line({ status: 'OK', ...(await unlinkAccount(context, { recipeUserId: step.id })) });
    case 'map': {
      const { id: superTokensUserId, externalId: externalUserId, isForced: force } = step;
      return line(await createMapping(context, { superTokensUserId, externalUserId, force }));
    }
    case 'unmap':
      return `didMappingExist=${await removeUserIdMapping(context, { userId: step.id, userIdType: step.type, force: step.isForced })}`;
    case 'remove':
      await removeUser(context, { userId: step.id, removeAllLinkedAccounts: step.withLinked });
      return 'OK';
    case 'reset':
      return (await createResetToken(context, { userId: step.id, email: 'any' })).status;
    case 'session':
    case 'device':
      return put(context, step);
    case 'verify':
    case 'change':
    case 'join':
    case 'leave':
      return onMethod(context, step);
  }
}

/** What the check endpoint says beforehand: the beginning of the outcome, without the user. */
async function foretell(context: Context, step: Step): Promise<Outcome | undefined> {
  try {
    if (step.act === 'primary') return line(await checkPrimary(context, { recipeUserId: step.id }));
    if (step.act === 'link') return line(await checkLink(context, { recipeUserId: step.id, primaryUserId: step.to }));
  } catch (error) {
    // The checks refuse a primary id whose own login method is gone, which the others take.
    if (!(error instanceof Refusal)) throw error;
  }
  return undefined;
}

async function signUpAs(context: Context, { id, recipe, email: address, phone: number, account: pair }: SignUpStep): Promise<Outcome> {
  const method = newLoginMethod(
    { ...context, randomId: () => id },
    {
      recipe,
      ...(address === undefined ? {} : { email: address }),
      ...(number === undefined ? {} : { phoneNumber: number }),
      ...(pair === undefined ? {} : { thirdPartyId: 'google', thirdPartyUserId: pair }),
      ...(recipe === 'emailpassword' ? { passwordHash: 'a hash' } : {}),
    },
  );
  return context.store.transact((tx) => addLoginMethod(tx, method));
}

/** Sessions as the session recipe keeps them, devices as the passwordless recipe does, without their cryptography. */
async function put(context: Context, step: LaterStep & { readonly act: 'session' | 'device' }): Promise<Outcome> {
  const { app } = context.tenant;
  const at = context.now();
  await context.store.transact(async (tx) => {
    const number = context.tenant.tenant;
    if (step.act === 'session') {
      const { recipeUserId } = await identityOf(tx, app, step.id);
      await tx.put(sessions, sessionRow(app, number, `session-${at}`, recipeUserId));
      return;
    }
    const codes = [{ id: `code-${at}`, linkCodeHash: `hash-${at}`, createdAt: at }];
    const row = { app, tenant: number, deviceIdHash: `device-${at}`, contact: step.contact, linkCodeSalt: '', failedAttempts: 0, codes };
    await tx.put(devices, { ...row, cleanAfter: at });
  });
  return 'put';
}

function sessionRow(app: AppNumber, tenant: TenantNumber, handle: string, userId: string): SessionRecord {
  const texts = { data: '{}' as SessionRecord['data'], claims: '{}' as SessionRecord['claims'] };
  const tokens = { refreshHash: '', previousRefreshHash: null, rotatedAt: null, useStaticKey: false };
  return {
    app,
    tenant,
    handle: handle as SessionRecord['handle'],
    userId,
    ...texts,
    ...tokens,
    createdAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
}

/** Steps that need the login method itself. */
function onMethod(context: Context, step: LaterStep & { readonly act: 'verify' | 'change' | 'join' | 'leave' }): Promise<Outcome> {
  const { app, tenant: number } = context.tenant;
  return context.store.transact(async (tx): Promise<Outcome> => {
    const found = await findId(tx, app, step.id);
    if (!found) return 'unknown';
    if (step.act === 'join') return (await joinTenant(tx, app, number, found)).status;
    const { method } = found;
    if (!method) return 'unknown';
    if (step.act === 'leave') return String(await leaveTenant(tx, method, number));
    if (step.act === 'verify') {
      if (method.email === null) return 'no email';
      await markEmailVerified(tx, app, found.externalId ?? method.id, method.email);
      return 'verified';
    }
    const [type, value] = step.contact;
    const isPossible = method.recipe === 'passwordless' || (type === 'email' && method.recipe !== 'webauthn');
    if (!isPossible) return 'impossible';
    return (await changeLoginMethod(tx, method, type === 'email' ? { email: value } : { phoneNumber: value })).status;
  });
}

/** The tenant that a step is taken in. */
export const tenantOf = (step: Step): 0 | 1 => ('tenant' in step ? step.tenant : 0);
