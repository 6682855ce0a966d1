import { beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { byCode, byLink, PasswordlessCalls, RESTART } from './calls.ts';

const CREATE = '/recipe/signinup/code';
const LIST = '/recipe/signinup/codes';

let calls: PasswordlessCalls;
beforeEach(async () => {
  calls = new PasswordlessCalls(await openInProcessCore('5.4'));
});

describe('a new code', () => {
  test('is told once and kept as hashes', async () => {
    const made = await calls.make({ email: '  A@x.COM ' });
    expect(made).toEqual({
      status: 'OK',
      preAuthSessionId: expect.stringMatching(/^[\w-]{43}$/),
      codeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      deviceId: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      userInputCode: expect.stringMatching(/^\d{6}$/),
      linkCode: expect.stringMatching(/^[\w-]{43}$/),
      timeCreated: calls.core.clock.now,
      codeLifetime: 900_000,
    });
    const kept = JSON.stringify(await calls.kept());
    for (const secret of [made.deviceId, made.linkCode, `"${made.userInputCode}"`]) expect(kept).not.toContain(secret);
    expect(await calls.list({ email: 'a@x.com' })).toHaveLength(1);
  });

  test('belongs to its tenant', async () => {
    await calls.addTenant('t1', { passwordless_code_lifetime: 1000 });
    const made = await calls.make({ email: 'a@x' }, { at: '/t1' });
    expect(made.codeLifetime).toBe(1000);
    expect(await calls.list({ email: 'a@x' })).toEqual([]);
    expect(await calls.make({ deviceId: made.deviceId })).toEqual(RESTART);
    expect(await calls.consume(byLink(made))).toEqual(RESTART);
    expect(await calls.consume(byCode(made), { at: '/t1' })).toMatchObject({ status: 'OK', user: { tenantIds: ['t1'] } });
  });

  test('may be chosen by the caller, once for a device', async () => {
    const first = await calls.make({ phoneNumber: '+1 (202) 555-0010', userInputCode: ' Ünicode ' });
    expect(first.userInputCode).toBe(' Ünicode ');
    const again = { deviceId: first.deviceId, userInputCode: ' Ünicode ' };
    expect(await calls.make(again)).toEqual({ status: 'USER_INPUT_CODE_ALREADY_USED_ERROR' });
    calls.core.clock.now += 10_000_000;
    // An expired code still stands in the way.
    expect(await calls.make(again)).toEqual({ status: 'USER_INPUT_CODE_ALREADY_USED_ERROR' });
    expect(await calls.make({ phoneNumber: '+12025550010', userInputCode: ' Ünicode ' })).toMatchObject({ status: 'OK' });
  });
});

describe('one more code', () => {
  test('is of the same device, whose other codes and failures stay', async () => {
    const first = await calls.make({ email: 'a@x' });
    await calls.consume({ ...byCode(first), userInputCode: 'wrong' });
    calls.core.clock.now += 5;
    const second = await calls.make({ deviceId: first.deviceId.replace('=', '') });
    expect(second).toMatchObject({ status: 'OK', preAuthSessionId: first.preAuthSessionId, deviceId: first.deviceId });
    expect(await calls.list({ deviceId: first.deviceId })).toEqual([
      {
        preAuthSessionId: first.preAuthSessionId,
        failedCodeInputAttemptCount: 1,
        email: 'a@x',
        codes: [
          { codeId: first.codeId, timeCreated: first.timeCreated, codeLifetime: 900_000 },
          { codeId: second.codeId, timeCreated: first.timeCreated + 5, codeLifetime: 900_000 },
        ],
      },
    ]);
    expect(await calls.consume(byLink(first))).toMatchObject({ status: 'OK' });
    expect(await calls.consume(byLink(second))).toEqual(RESTART);
  });

  test('beyond a hundred drops the oldest', async () => {
    const { deviceId } = await calls.make({ email: 'a@x', userInputCode: 'c0' });
    for (let number = 1; number <= 100; number += 1) await calls.make({ deviceId, userInputCode: `c${number}` });
    const [device] = await calls.kept();
    expect(device?.codes).toHaveLength(100);
    expect(await calls.make({ deviceId, userInputCode: 'c1' })).toEqual({ status: 'USER_INPUT_CODE_ALREADY_USED_ERROR' });
    expect(await calls.make({ deviceId, userInputCode: 'c0' })).toMatchObject({ status: 'OK' });
  });

  test('needs a known device and a well-formed id', async () => {
    for (const deviceId of ['', 'AAAA', 'AAA', Buffer.alloc(32).toString('base64')])
      expect(await calls.make({ deviceId })).toEqual(RESTART);
    for (const deviceId of ['!', 'A-_A', 'AA A', 'AAA\n', 'AA=', 'AAA==', 'A===', 'AAAAA']) {
      expect(await calls.at('POST', CREATE, { deviceId }), deviceId).toMatchObject({
        status: 400,
        body: { text: 'Input encoding error in deviceId\n' },
      });
    }
  });
});

const EXACTLY_ONE = 'Please provide exactly one of email, phoneNumber or deviceId';
test.each([
  [{}, EXACTLY_ONE],
  [{ email: 'a', phoneNumber: 'b' }, EXACTLY_ONE],
  [{ email: 'a', deviceId: '!' }, EXACTLY_ONE],
  [{ userInputCode: '' }, EXACTLY_ONE],
  [{ userInputCode: 5 }, EXACTLY_ONE],
  [{ email: null }, "Field name 'email' is invalid in JSON input"],
  [{ phoneNumber: 4 }, "Field name 'phoneNumber' is invalid in JSON input"],
  [{ deviceId: {} }, "Field name 'deviceId' is invalid in JSON input"],
  [{ email: 'a', userInputCode: '' }, 'userInputCode cannot be an empty string.'],
  [{ email: 'a', userInputCode: 5 }, "Field name 'userInputCode' is invalid in JSON input"],
])('creating with %j: %s', async (body, text) => {
  // All of these come before the tenant is looked for.
  for (const at of ['', '/ghost']) {
    expect(await calls.at('POST', CREATE, body, { at })).toEqual({ status: 400, body: { text: `${text}\n` } });
  }
});

describe('codes are listed', () => {
  test('by contact, device or session', async () => {
    const made = await calls.make({ phoneNumber: ' +1 (202) 555-0010 ' });
    const listed = [
      {
        preAuthSessionId: made.preAuthSessionId,
        failedCodeInputAttemptCount: 0,
        phoneNumber: '+12025550010',
        codes: [{ codeId: made.codeId, timeCreated: made.timeCreated, codeLifetime: 900_000 }],
      },
    ];
    for (const query of [{ phoneNumber: '+1 202 555 0010' }, { deviceId: made.deviceId }, { preAuthSessionId: made.preAuthSessionId }]) {
      expect(await calls.list(query)).toEqual(listed);
    }
    calls.core.clock.now += 10_000_000;
    expect(await calls.list({ deviceId: made.deviceId })).toEqual(listed);
    // The session is compared as it is.
    expect(await calls.list({ preAuthSessionId: `${made.preAuthSessionId}=` })).toEqual([]);
    expect(await calls.list({ email: 'a@x' })).toEqual([]);
  });

  test('however many devices a contact has', async () => {
    const made = new Set<string>();
    await Promise.all(Array.from({ length: 503 }, async () => made.add((await calls.make({ email: 'many@x' })).preAuthSessionId)));
    expect(new Set((await calls.list({ email: 'many@x' })).map((device) => device['preAuthSessionId']))).toEqual(made);
    await calls.at('POST', `${LIST}/remove`, { email: 'many@x' });
    expect(await calls.kept()).toEqual([]);
  });

  test.each([
    ['', 'Please provide exactly one of email, phoneNumber, deviceId or preAuthSessionId'],
    ['email=a&deviceId=b', 'Please provide exactly one of email, phoneNumber, deviceId or preAuthSessionId'],
    ['email=&phoneNumber=', 'Please provide exactly one of email, phoneNumber, deviceId or preAuthSessionId'],
    ['deviceId=a+b', 'Input encoding error in deviceId'],
  ])('but not for the query %s', async (query, text) => {
    expect(await calls.at('GET', `${LIST}?${query}`)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });
});

describe('codes are removed', () => {
  const ok = { status: 200, body: { status: 'OK' } };
  const removeOf = (body: object, at = '') => calls.at('POST', `${LIST}/remove`, body, { at });
  const remove = (body: object, cdi = '5.4') => calls.at('POST', `${CREATE}/remove`, body, { cdi });

  test('with all devices of a contact in the tenant', async () => {
    await calls.addTenant('t1');
    for (const at of ['', '', '/t1']) await calls.make({ email: 'a@x' }, { at });
    await calls.make({ phoneNumber: '+12025550010' });
    expect(await removeOf({ email: ' A@x' })).toEqual(ok);
    expect(await calls.kept()).toHaveLength(2);
    expect(await removeOf({ phoneNumber: '+1 202 555 0010' })).toEqual(ok);
    expect(await calls.list({ email: 'a@x' }, { at: '/t1' })).toHaveLength(1);
    expect(await removeOf({ email: 'none@x' })).toEqual(ok);
  });

  test('one by one, the device with the last of them', async () => {
    for (const by of [remove, removeOf]) {
      const first = await calls.make({ email: 'a@x' });
      const second = await calls.make({ deviceId: first.deviceId });
      expect(await by({ codeId: first.codeId })).toEqual(ok);
      expect(await calls.consume(byCode(first))).toMatchObject({ status: 'INCORRECT_USER_INPUT_CODE_ERROR' });
      expect(await by({ codeId: second.codeId })).toEqual(ok);
      expect(await calls.kept()).toEqual([]);
      expect(await by({ codeId: second.codeId })).toEqual(ok);
    }
  });

  test('by device', async () => {
    const made = await calls.make({ email: 'a@x' });
    expect(await remove({ preAuthSessionId: `${made.preAuthSessionId}=` })).toEqual(ok);
    expect(await calls.kept()).toHaveLength(1);
    expect(await remove({ preAuthSessionId: made.preAuthSessionId })).toEqual(ok);
    expect(await calls.kept()).toEqual([]);
  });

  test.each([
    [{}, '5.0', "Please provide either 'codeId' or 'preAuthSessionId'"],
    [{ codeId: 'a', preAuthSessionId: 'b' }, '5.0', "Please provide only one of 'codeId' or 'preAuthSessionId'"],
    [{ preAuthSessionId: 7 }, '5.0', "Field name 'preAuthSessionId' is invalid in JSON input"],
    [{ codeId: 1 }, '5.0', "Field name 'codeId' is invalid in JSON input"],
    [{ preAuthSessionId: 'b' }, '4.0', "Field name 'codeId' is invalid in JSON input"],
    [{ codeId: null, preAuthSessionId: 'b' }, '4.0', "Field name 'codeId' is invalid in JSON input"],
  ])('but not with %j at %s', async (body, cdi, text) => {
    expect(await remove(body, cdi)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });

  test('below 5.0 whatever the session is said to be', async () => {
    const { codeId } = await calls.make({ email: 'a@x' });
    expect(await remove({ codeId, preAuthSessionId: 7 }, '4.0')).toEqual(ok);
    expect(await calls.kept()).toEqual([]);
  });

  test.each([
    [{}, 'Please provide exactly one of email or phoneNumber'],
    [{ email: 'a', phoneNumber: 'b' }, 'Please provide exactly one of email or phoneNumber'],
    [{ email: 'a', codeId: 'b' }, 'Please provide exactly one of email or phoneNumber'],
    [{ phoneNumber: 'a', codeId: 'b' }, 'Please provide exactly one of email or phoneNumber'],
    [{ email: 5 }, "Field name 'email' is invalid in JSON input"],
    [{ phoneNumber: null }, "Field name 'phoneNumber' is invalid in JSON input"],
  ])('of a contact, but not with %j', async (body, text) => {
    expect(await removeOf(body)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });
});
