import { beforeEach, describe, expect, test } from 'vitest';
import { lastActive } from '../../../src/recipes/active-users/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { byCode, byLink, type MadeCode, PasswordlessCalls, RESTART, wrong } from './calls.ts';

const CONSUME = '/recipe/signinup/code/consume';
const CHECK = '/recipe/signinup/code/check';
const EMAIL = { email: 'a@x' };

let calls: PasswordlessCalls;
beforeEach(async () => {
  calls = new PasswordlessCalls(await openInProcessCore('5.4'));
});

const failure = (kind: 'INCORRECT' | 'EXPIRED', failed: number, most = 5) => ({
  status: `${kind}_USER_INPUT_CODE_ERROR`,
  failedCodeInputAttemptCount: failed,
  maximumCodeInputAttempts: most,
});

describe('a code signs in', () => {
  test('once, whoever is new by making a user', async () => {
    const made = await calls.make(EMAIL);
    const first = await calls.consume({ ...byCode(made), preAuthSessionId: `${made.preAuthSessionId}==` });
    const id = first['recipeUserId'];
    expect(first).toEqual({
      status: 'OK',
      createdNewUser: true,
      user: expect.objectContaining({
        id,
        isPrimaryUser: false,
        emails: ['a@x'],
        phoneNumbers: [],
        loginMethods: [
          {
            tenantIds: ['public'],
            recipeUserId: id,
            verified: true,
            timeJoined: calls.core.clock.now,
            recipeId: 'passwordless',
            email: 'a@x',
          },
        ],
      }),
      recipeUserId: id,
      consumedDevice: { preAuthSessionId: made.preAuthSessionId, failedCodeInputAttemptCount: 0, email: 'a@x' },
    });
    expect(await calls.consume(byCode(made))).toEqual(RESTART);
    expect(await calls.consume(byLink(made))).toEqual(RESTART);

    const again = await calls.consume(byLink(await calls.make(EMAIL)));
    expect(again).toMatchObject({ status: 'OK', createdNewUser: false, user: { id }, recipeUserId: id });
  });

  test('and takes every device of all contacts of the user in the tenant along', async () => {
    await calls.addTenant('t1');
    const phone = { phoneNumber: '+12025550010' };
    const recipeUserId = await calls.signInWith(EMAIL);
    await calls.at('PUT', '/recipe/user', { recipeUserId, ...phone });
    const made = await calls.make(EMAIL);
    for (const given of [EMAIL, phone]) for (const at of ['', '/t1']) await calls.make(given, { at });
    await calls.make({ email: 'other@x' });
    expect(await calls.consume(byCode(made))).toMatchObject({ status: 'OK', createdNewUser: false });
    expect((await calls.kept()).map(({ contact }) => contact[1]).toSorted()).toEqual(['+12025550010', 'a@x', 'other@x']);
    expect(await calls.list(EMAIL)).toEqual([]);
    expect(await calls.list(EMAIL, { at: '/t1' })).toHaveLength(1);
  });

  test('the device is told as it was', async () => {
    const made = await calls.make({ phoneNumber: 'no number' });
    await calls.consume(wrong(made));
    expect(await calls.check(byLink(made))).toEqual({
      status: 'OK',
      consumedDevice: { preAuthSessionId: made.preAuthSessionId, failedCodeInputAttemptCount: 1, phoneNumber: 'no number' },
    });
    expect(await calls.consume(byLink(made))).toMatchObject({
      status: 'OK',
      consumedDevice: { failedCodeInputAttemptCount: 1, phoneNumber: 'no number' },
      user: { emails: [], phoneNumbers: ['no number'], loginMethods: [{ verified: true }] },
    });
  });

  test('into the group of a linked user, under the ids it is known by', async () => {
    const [plain, code] = [await calls.signUp('a@x'), await calls.signInWith(EMAIL)];
    await calls.link(plain, code);
    await calls.map(plain, 'their-group');
    await calls.map(code, 'their-method');
    const answer = await calls.consume(byCode(await calls.make(EMAIL)));
    expect(answer).toMatchObject({ createdNewUser: false, recipeUserId: 'their-method', user: { id: 'their-group', isPrimaryUser: true } });
    expect((answer['user'] as { loginMethods: unknown[] }).loginMethods).toHaveLength(2);
  });

  test('and verifies the email of a mapped user where every reader looks', async () => {
    expect(await calls.consume(byCode(await calls.make(EMAIL)), { cdi: '3.1' })).toMatchObject({ status: 'OK' });
    const { body } = await calls.at('GET', '/recipe/user?email=a@x');
    const user = body['user'] as { id: string; loginMethods: { verified: boolean }[] };
    expect(user.loginMethods[0]?.verified).toBe(false);
    await calls.map(user.id, 'mapped');
    await calls.signInWith(EMAIL);
    expect((await calls.at('GET', '/user/id?userId=mapped')).body).toMatchObject({
      user: { id: 'mapped', loginMethods: [{ verified: true }] },
    });
  });

  test('which is activity of the primary user, written once in five minutes', async () => {
    const times = async () =>
      (await calls.core.services.store.read((reader) => reader.list(lastActive, undefined, { prefix: [], limit: 10 }))).map(({ at }) => at);
    const started = calls.core.clock.now;
    await calls.signInWith(EMAIL);
    calls.core.clock.now = started + 200_000;
    await calls.signInWith(EMAIL);
    expect(await times()).toEqual([started]);
    calls.core.clock.now = started + 301_000;
    await calls.signInWith(EMAIL);
    expect(await times()).toEqual([started + 301_000]);
    // When the clock was set back, the five minutes are not waited for.
    calls.core.clock.now = started - 86_400_000;
    await calls.signInWith(EMAIL);
    expect(await times()).toEqual([started - 86_400_000]);
  });

  test.each([
    ['2.11', { createdNewUser: true, user: { id: expect.any(String), timeJoined: expect.any(Number), email: 'v@x' } }],
    [
      '3.0',
      { createdNewUser: true, user: { id: expect.any(String), timeJoined: expect.any(Number), tenantIds: ['public'], email: 'v@x' } },
    ],
  ])('in the shape of %s', async (cdi, rest) => {
    expect(await calls.consume(byCode(await calls.make({ email: 'v@x' }, { cdi })), { cdi })).toEqual({ status: 'OK', ...rest });
  });

  test('with the device only from 5.0 on, with passkeys only from 5.3 on', async () => {
    const keys = async (cdi: string) => {
      const answer = await calls.consume(byCode(await calls.make(EMAIL)), { cdi });
      return [Object.keys(answer).includes('consumedDevice'), Object.keys(answer['user'] as object).includes('webauthn')];
    };
    expect(await keys('4.0')).toEqual([false, false]);
    expect(await keys('5.0')).toEqual([true, false]);
    expect(await keys('5.3')).toEqual([true, true]);
  });
});

describe('a wrong code', () => {
  test('counts, and the fifth ends the device', async () => {
    const made = await calls.make(EMAIL);
    for (const count of [1, 2, 3, 4]) expect(await calls.consume(wrong(made))).toEqual(failure('INCORRECT', count));
    expect(await calls.consume(wrong(made))).toEqual(RESTART);
    expect(await calls.kept()).toEqual([]);
    expect(await calls.consume(byCode(made))).toEqual(RESTART);
  });

  test('counts when it is only checked, too', async () => {
    const made = await calls.make(EMAIL);
    for (const count of [1, 2, 3, 4]) expect(await calls.check(wrong(made))).toEqual(failure('INCORRECT', count));
    expect(await calls.check(byCode(made))).toMatchObject({ status: 'OK' });
    expect(await calls.check(wrong(made))).toEqual(RESTART);
    expect(await calls.kept()).toEqual([]);
  });

  test('ends the device at once where one try is allowed', async () => {
    await calls.addTenant('strict', { passwordless_max_code_input_attempts: 1 });
    const made = await calls.make(EMAIL, { at: '/strict' });
    expect(await calls.consume(wrong(made), { at: '/strict' })).toEqual(RESTART);
    expect(await calls.consume(byCode(made), { at: '/strict' })).toEqual(RESTART);
  });

  test('by link does not count', async () => {
    const made = await calls.make(EMAIL);
    for (const linkCode of ['A'.repeat(43), '', `${'A'.repeat(43)}=`])
      expect(await calls.consume({ ...byLink(made), linkCode })).toEqual(RESTART);
    expect(await calls.list(EMAIL)).toMatchObject([{ failedCodeInputAttemptCount: 0 }]);
  });

  test('and tries that the tenant no longer allows end the device', async () => {
    await calls.addTenant('t1');
    const made = await calls.make(EMAIL, { at: '/t1' });
    for (const count of [1, 2]) expect(await calls.consume(wrong(made), { at: '/t1' })).toEqual(failure('INCORRECT', count));
    await calls.addTenant('t1', { passwordless_max_code_input_attempts: 2 });
    expect(await calls.consume(byCode(made), { at: '/t1' })).toEqual(RESTART);
    expect(await calls.kept()).toEqual([]);
  });

  test('belong to a device of one tenant: no other gives more of them', async () => {
    await calls.addTenant('t1');
    const made = await calls.make(EMAIL);
    for (const count of [1, 2, 3, 4]) {
      expect(await calls.consume(wrong(made))).toEqual(failure('INCORRECT', count));
      expect(await calls.consume(wrong(made), { at: '/t1' })).toEqual(RESTART);
      expect(await calls.consume(byCode(made), { at: '/t1' })).toEqual(RESTART);
    }
    expect(await calls.consume(wrong(made))).toEqual(RESTART);
    expect(await calls.consume(byCode(made))).toEqual(RESTART);
  });
});

describe('a code that has expired', () => {
  test('counts as a try of its device, and not by link', async () => {
    const made = await calls.make(EMAIL);
    calls.core.clock.now += 900_000;
    expect(await calls.check(byLink(made))).toMatchObject({ status: 'OK' });
    calls.core.clock.now += 1;
    expect(await calls.consume(byLink(made))).toEqual(RESTART);
    expect(await calls.consume(byCode(made))).toEqual(failure('EXPIRED', 1));
    expect(await calls.consume(wrong(made))).toEqual(failure('INCORRECT', 2));
  });

  test('does not live again for a day when the clock is set back', async () => {
    const made = await calls.make(EMAIL);
    calls.core.clock.now -= 900_000;
    expect(await calls.check(byLink(made))).toMatchObject({ status: 'OK' });
    calls.core.clock.now -= 1;
    expect(await calls.consume(byLink(made))).toEqual(RESTART);
    calls.core.clock.now -= 86_400_000;
    expect(await calls.consume(byCode(made))).toEqual(failure('EXPIRED', 1));
  });

  test('lives again when the tenant lets codes live longer', async () => {
    await calls.addTenant('t1', { passwordless_code_lifetime: 10 });
    const made = await calls.make(EMAIL, { at: '/t1' });
    calls.core.clock.now += 11;
    expect(await calls.consume(byCode(made), { at: '/t1' })).toEqual(failure('EXPIRED', 1));
    await calls.addTenant('t1', { passwordless_code_lifetime: 1000 });
    expect(await calls.consume(byCode(made), { at: '/t1' })).toMatchObject({ status: 'OK' });
  });
});

const ONE_KIND = 'Please provide exactly one of linkCode or deviceId+userInputCode';
const invalid = (field: string): string => `Field name '${field}' is invalid in JSON input`;
const session = { preAuthSessionId: 's' };
test.each([
  [{}, invalid('preAuthSessionId')],
  [{ preAuthSessionId: 1, linkCode: 'x', deviceId: 'y' }, invalid('preAuthSessionId')],
  [session, ONE_KIND],
  [{ ...session, linkCode: 1, deviceId: 'x' }, ONE_KIND],
  [{ ...session, linkCode: 'x', userInputCode: null }, ONE_KIND],
  [{ ...session, linkCode: 'x', deviceId: 'x', userInputCode: 'x' }, ONE_KIND],
  [{ ...session, deviceId: 'x' }, ONE_KIND],
  [{ ...session, userInputCode: 7 }, ONE_KIND],
  [{ ...session, linkCode: null }, invalid('linkCode')],
  [{ ...session, deviceId: 1, userInputCode: 1 }, invalid('deviceId')],
  [{ ...session, deviceId: 'x', userInputCode: 1 }, invalid('userInputCode')],
])('proving with %j: %s', async (body, text) => {
  // All of these come before the tenant is looked for.
  for (const path of [CONSUME, CHECK, `/ghost${CONSUME}`]) {
    expect(await calls.at('POST', path, body)).toEqual({ status: 400, body: { text: `${text}\n` } });
  }
});

test('what cannot be decoded, and what belongs to another session', async () => {
  const [made, other] = [await calls.make(EMAIL), await calls.make({ email: 'b@x' })];
  const refused = async (body: object) => (await calls.at('POST', CONSUME, body)).body['text'];
  for (const linkCode of ['a+b/', 'a', 'ab=', `${made.linkCode}==`, `${made.linkCode} `]) {
    expect(await refused({ ...byLink(made), linkCode })).toBe('Input encoding error in linkCode\n');
  }
  expect(await refused({ ...byCode(made), deviceId: 'a-_b' })).toBe('Input encoding error in deviceId\n');
  const mismatch = "preAuthSessionId and deviceId doesn't match\n";
  for (const proof of [byCode(made), byLink(made), wrong(made)]) {
    expect(await refused({ ...proof, preAuthSessionId: other.preAuthSessionId })).toBe(mismatch);
  }
  expect((await calls.kept()).every((device) => device.failedAttempts === 0)).toBe(true);
  expect(await calls.check({ ...byLink(made), linkCode: `${made.linkCode}=` })).toMatchObject({ status: 'OK' });
});

test('tenants that do not offer it', async () => {
  const made = await calls.make(EMAIL, { at: '' });
  const paths = ['/recipe/signinup/code', CONSUME, CHECK];
  const bodies = [EMAIL, byLink(made), byLink(made)];
  await calls.core.call('PUT', '/recipe/multitenancy/tenant', { tenantId: 'closed', emailPasswordEnabled: true }, { cdi: '3.0' });
  const answers = (cdi: string) => Promise.all(paths.map((path, at) => calls.at('POST', path, bodies[at], { cdi, at: '/closed' })));
  for (const cdi of ['3.0', '4.0', '5.0']) {
    for (const answer of await answers(cdi)) {
      expect(answer).toEqual({ status: 403, body: { text: 'Passwordless login not enabled for tenant\n' } });
    }
  }
  for (const answer of await answers('5.1')) expect(answer.status).toBe(200);
});

describe('races', () => {
  test('twenty calls with one code: one signs in, by whichever way', async () => {
    for (let round = 0; round < 5; round += 1) {
      const made = await calls.make({ email: `r${round % 2}@x` });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => calls.consume(at % 2 === 0 ? byCode(made) : byLink(made))));
      expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 'RESTART_FLOW_ERROR')).toHaveLength(19);
    }
  });

  test('twenty codes of one new contact: one user', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => calls.make(EMAIL)));
    const answers = await Promise.all(made.map((each) => calls.consume(byCode(each))));
    // Whoever is first takes the devices of all others along.
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(await calls.kept()).toEqual([]);
  });

  test('twenty wrong codes at once are counted, each', async () => {
    const made = await calls.make(EMAIL);
    const answers = await Promise.all(Array.from({ length: 20 }, () => calls.consume(wrong(made))));
    const counts = answers.flatMap((answer) =>
      typeof answer['failedCodeInputAttemptCount'] === 'number' ? [answer['failedCodeInputAttemptCount']] : [],
    );
    expect(counts.toSorted()).toEqual([1, 2, 3, 4]);
    expect(await calls.consume(byCode(made))).toEqual(RESTART);
  });

  test('creating, resending, consuming and removing at once never fail', async () => {
    const statuses = new Set<number>();
    const at = async (path: string, body: object) => {
      const { status, body: answer } = await calls.at('POST', path, body);
      statuses.add(status);
      return answer as MadeCode;
    };
    const one = async (lane: number): Promise<void> => {
      for (let round = 0; round < 10; round += 1) {
        const made = await at('/recipe/signinup/code', { email: `lane${(lane + round) % 3}@x` });
        await at('/recipe/signinup/code', { deviceId: made.deviceId });
        if (lane % 4 === 3) await at('/recipe/signinup/codes/remove', { email: `lane${round % 3}@x` });
        await at(CONSUME, lane % 2 === 0 ? byCode(made) : byLink(made));
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, lane) => one(lane)));
    expect(statuses).toEqual(new Set([200]));
  });
});
