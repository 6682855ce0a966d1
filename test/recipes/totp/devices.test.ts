import { beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/config/limits.ts';
import { devicesOf, isTotpUsed, putDevices, removeTotp } from '../../../src/recipes/totp/devices.ts';
import { withImportedDevices } from '../../../src/recipes/totp/import-device.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { PERIOD, type TotpAnswer, totpCalls } from './calls.ts';
import { appNumber } from '../../numbers.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const fields = { skew: 1, period: PERIOD };

let core: InProcessCore;
let calls: ReturnType<typeof totpCalls>;
let count = 0;
const newUser = (): string => `user-${(count += 1)}`;

beforeAll(async () => {
  core = await openInProcessCore('5.4');
  calls = totpCalls(core);
  await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
});

const names = async (userId: string): Promise<readonly unknown[]> => {
  const answer = await calls.call('GET', `/recipe/totp/device/list?userId=${encodeURIComponent(userId)}`);
  if (typeof answer === 'string') return [answer];
  return (answer['devices'] as { readonly name: string; readonly verified: boolean }[]).map(
    (each) => `${each.name}${each.verified ? '!' : ''}`,
  );
};

describe('creating', () => {
  test('an unverified device is replaced, a verified one is not', async () => {
    const user = newUser();
    const first = await calls.add(user, 'd');
    const second = await calls.add(user, 'd', { skew: 0 });
    expect(second).not.toBe(first);
    expect(await calls.prove(user, 'd', calls.code(first))).toMatchObject({ status: 'INVALID_TOTP_ERROR' });
    expect(await calls.prove(user, 'd', calls.code(second))).toEqual({ status: 'OK', wasAlreadyVerified: false });
    expect(await calls.post('/device', { userId: user, deviceName: 'd', ...fields })).toEqual({ status: 'DEVICE_ALREADY_EXISTS_ERROR' });
    expect(await names(user)).toEqual(['d!']);
  });

  test('names are counted from the number of verified devices, past those that are taken', async () => {
    const user = newUser();
    const named = async (path: string, more: object = {}) => {
      const answer = await calls.post(path, { userId: user, ...fields, ...more });
      return typeof answer === 'string' ? answer : answer['deviceName'];
    };
    expect(await named('/device')).toBe('TOTP Device 0');
    expect(await named('/device')).toBe('TOTP Device 0');
    expect(await named('/device/import', { secretKey: SECRET })).toBe('TOTP Device 0');
    expect(await named('/device/import', { secretKey: SECRET, deviceName: 'TOTP Device 2' })).toBe('TOTP Device 2');
    expect(await named('/device/import', { secretKey: SECRET })).toBe('TOTP Device 3');
    expect(await named('/device')).toBe('TOTP Device 4');
  });

  test('of twenty at once with one name, all replace each other and one remains', async () => {
    const user = newUser();
    const secrets = await Promise.all(Array.from({ length: 20 }, () => calls.add(user, 'd')));
    expect(await names(user)).toEqual(['d']);
    const right = await Promise.all(secrets.map((secret) => calls.prove(user, 'd', calls.code(secret))));
    // Once one has proven the device, whatever is sent after it finds it proven.
    const proofs = right.filter((answer) => typeof answer !== 'string' && answer['wasAlreadyVerified'] === false);
    expect(proofs.length).toBeLessThanOrEqual(1);
  });

  test('of twenty imports at once without a name, all get a name of their own', async () => {
    const user = newUser();
    await Promise.all(Array.from({ length: 20 }, () => calls.post('/device/import', { userId: user, secretKey: SECRET, ...fields })));
    expect(new Set(await names(user)).size).toBe(20);
  });

  test('has its limits', async () => {
    const user = newUser();
    const { skew, name, secret } = { skew: LIMITS.totpSkew, name: 'n'.repeat(256), secret: 'A'.repeat(256) };
    const bring = (more: object) =>
      calls.post('/device/import', { userId: user, secretKey: secret, deviceName: name, period: 30, skew, ...more });
    expect(await bring({})).toEqual({ status: 'OK', deviceName: name });
    expect(await bring({ skew: skew + 1 })).toBe('400 skew must be <= 300');
    expect(await bring({ deviceName: `${name}n` })).toBe('400 deviceName is too long. Max length is 256.');
    expect(await bring({ secretKey: `${secret}A` })).toBe('400 secretKey is too long. Max length is 256.');
    expect(await calls.call('PUT', '/recipe/totp/device', { userId: user, existingDeviceName: name, newDeviceName: `${name}n` })).toBe(
      '400 newDeviceName is too long. Max length is 256.',
    );
    for (let made = 1; made < LIMITS.totpDevices; made++) await bring({ deviceName: `d${made}` });
    expect(await bring({ deviceName: 'one more' })).toBe('400 A user can have at most 100 TOTP devices');
    expect(await calls.post('/device', { userId: user, deviceName: 'one more', ...fields })).toBe(
      '400 A user can have at most 100 TOTP devices',
    );
  });
});

describe('what is refused, with the words of the contract', () => {
  const bad = (field: string) => `400 Field name '${field}' is invalid in JSON input`;
  const empty = (field: string) => `400 ${field} cannot be empty`;
  const whole = { userId: 'u', deviceName: 'd', secretKey: 's', existingDeviceName: 'a', newDeviceName: 'b', totp: '1', ...fields };
  const CASES: readonly (readonly [method: string, path: string, change: object, text: string])[] = [
    ...['/device', '/device/import'].flatMap((path) => [
      ['POST', path, { userId: undefined }, bad('userId')] as const,
      ['POST', path, { userId: '', skew: 'x' }, bad('skew')] as const,
      ['POST', path, { userId: '', deviceName: '', skew: -1, period: 0 }, empty('userId')] as const,
      ['POST', path, { deviceName: '', skew: -1, period: 0 }, empty('deviceName')] as const,
      ['POST', path, { deviceName: 4 }, bad('deviceName')] as const,
      ['POST', path, { deviceName: null }, bad('deviceName')] as const,
      ['POST', path, { skew: undefined }, bad('skew')] as const,
      ['POST', path, { period: undefined }, bad('period')] as const,
      ['POST', path, { skew: -1, period: 0 }, '400 skew must be >= 0'] as const,
      ['POST', path, { period: 0 }, '400 period must be > 0'] as const,
      ['POST', path, { period: -3 }, '400 period must be > 0'] as const,
    ]),
    ['POST', '/device/import', { secretKey: undefined }, bad('secretKey')],
    ['POST', '/device/import', { secretKey: '', skew: -1 }, empty('secretKey')],
    ['PUT', '/device', { userId: '', existingDeviceName: '' }, empty('userId')],
    ['PUT', '/device', { existingDeviceName: '', newDeviceName: '' }, empty('existingDeviceName')],
    ['PUT', '/device', { newDeviceName: '' }, empty('newDeviceName')],
    ['POST', '/device/remove', { deviceName: '' }, empty('deviceName')],
    ['POST', '/device/remove', { deviceName: undefined }, bad('deviceName')],
    ['DELETE', '/device', { deviceName: '' }, empty('deviceName')],
    ['POST', '/device/verify', { userId: '', totp: undefined }, bad('totp')],
    ['POST', '/device/verify', { deviceName: '' }, empty('deviceName')],
    ['POST', '/verify', { userId: '' }, empty('userId')],
    ['POST', '/verify', { totp: 123456 }, bad('totp')],
    ['POST', '/device/status/bulk', {}, bad('userIds')],
    ['POST', '/device/status/bulk', { userIds: 'u' }, bad('userIds')],
    ['POST', '/device/status/bulk', { userIds: ['u', 4] }, '400 userIds array must contain only strings'],
    ['POST', '/device/status/bulk', { userIds: Array(501).fill('u') }, '400 You can only query up to 500 users at a time.'],
  ];

  test.each(CASES)('%s %s (case %#)', async (method, path, change, text) => {
    expect(await calls.call(method, `/recipe/totp${path}`, { ...whole, ...change })).toBe(text);
  });

  test('the list asks for a user', async () => {
    expect(await calls.call('GET', '/recipe/totp/device/list')).toBe("400 Field name 'userId' is missing in GET request");
    expect(await calls.call('GET', '/recipe/totp/device/list?userId=')).toBe('400 userId cannot be empty');
  });

  test('input is complained about before tenant and app are looked for', async () => {
    const only = '403 Only public tenantId can call this app specific API';
    const device = { userId: 'u', deviceName: 'd', ...fields };
    expect(await calls.call('POST', '/t1/recipe/totp/device', { ...device, skew: -1 })).toBe('400 skew must be >= 0');
    expect(await calls.call('POST', '/t1/recipe/totp/device', device)).toBe(only);
    expect(await calls.call('POST', '/t1/recipe/totp/device/status/bulk', { userIds: ['u'] })).toBe(only);
    expect(await calls.call('POST', '/appid-none/recipe/totp/device', { ...device, period: 0 })).toBe('400 period must be > 0');
    expect(await calls.call('POST', '/appid-none/recipe/totp/device', device)).toMatch(/^400 AppId or tenantId not found/);
    expect(await calls.call('POST', '/appid-none/recipe/totp/device/status/bulk', { userIds: [] })).toEqual({ status: 'OK', users: [] });
    expect(await calls.call('POST', '/appid-none/recipe/totp/device/status/bulk', { userIds: ['u'] })).toMatch(/^400 AppId/);
    expect(await calls.call('POST', '/none/recipe/totp/verify', { userId: 'u', totp: '1' })).toMatch(/^400 AppId or tenantId not found/);
  });

  test('numbers may be texts, and blanks are ids and names', async () => {
    expect(await calls.post('/device', { userId: ' ', deviceName: ' ', skew: '0', period: '30' })).toMatchObject({
      status: 'OK',
      deviceName: ' ',
    });
    expect(await calls.call('GET', '/recipe/totp/device/list?userId=%20')).toEqual({
      status: 'OK',
      devices: [{ name: ' ', period: 30, skew: 0, verified: false }],
    });
  });

  test('before 5.0 a tenant in the path is ignored', async () => {
    const user = newUser();
    const answer = await calls.call('POST', '/t1/recipe/totp/device', { userId: user, deviceName: 'd', ...fields }, { cdi: '4.0' });
    expect(answer).toMatchObject({ status: 'OK' });
    expect(await names(user)).toEqual(['d']);
  });
});

describe('renaming', () => {
  const rename = (userId: string, existingDeviceName: string, newDeviceName: string) =>
    calls.call('PUT', '/recipe/totp/device', { userId, existingDeviceName, newDeviceName });

  test('keeps the device; any other device of the name is in the way', async () => {
    const user = newUser();
    const secret = await calls.addVerified(user, 'a');
    await calls.add(user, 'b');
    expect(await rename(user, 'a', 'b')).toEqual({ status: 'DEVICE_ALREADY_EXISTS_ERROR' });
    expect(await rename(user, 'b', 'a')).toEqual({ status: 'DEVICE_ALREADY_EXISTS_ERROR' });
    expect(await rename(user, 'x', 'a')).toEqual({ status: 'UNKNOWN_DEVICE_ERROR' });
    expect(await rename(user, 'a', 'a')).toEqual({ status: 'OK' });
    expect(await rename(user, 'a', 'c')).toEqual({ status: 'OK' });
    expect(await names(user)).toEqual(['b', 'c!']);
    expect(await calls.verify(user, calls.code(secret))).toEqual({ status: 'OK' });
  });

  test('of twenty devices that take one name at once, one gets it', async () => {
    const user = newUser();
    const numbers = Array.from({ length: 20 }, (_, at) => at);
    for (const at of numbers) await calls.add(user, `d${at}`);
    const answers = await Promise.all(numbers.map((at) => rename(user, `d${at}`, 'wanted')));
    expect(answers.filter((answer) => typeof answer !== 'string' && answer.status === 'OK')).toHaveLength(1);
    expect(await names(user)).toHaveLength(20);
  });
});

describe('removing', () => {
  test.each<readonly [string, (userId: string, deviceName: string) => Promise<TotpAnswer>]>([
    ['POST', (userId, deviceName) => calls.post('/device/remove', { userId, deviceName })],
    ['DELETE with a body', (userId, deviceName) => calls.call('DELETE', '/recipe/totp/device', { userId, deviceName })],
    ['DELETE with a query', (userId, deviceName) => calls.call('DELETE', `/recipe/totp/device?userId=${userId}&deviceName=${deviceName}`)],
  ])('%s', async (_, remove) => {
    const user = newUser();
    await calls.add(user, 'a');
    expect(await remove(user, 'b')).toEqual({ status: 'OK', didDeviceExist: false });
    expect(await remove(user, 'a')).toEqual({ status: 'OK', didDeviceExist: true });
    expect(await remove(user, 'a')).toEqual({ status: 'OK', didDeviceExist: false });
    expect(await names(user)).toEqual([]);
  });

  test('the last device takes the used codes of all tenants with it', async () => {
    const user = newUser();
    const secret = await calls.addVerified(user, 'a');
    await calls.add(user, 'b');
    const wrong = calls.wrong(secret);
    for (const tenant of ['', '/t1']) for (let i = 0; i < 5; i++) await calls.verify(user, wrong, tenant);
    await calls.post('/device/remove', { userId: user, deviceName: 'a' });
    expect(await calls.verify(user, wrong)).toMatchObject({ status: 'LIMIT_REACHED_ERROR' });
    await calls.post('/device/remove', { userId: user, deviceName: 'b' });
    expect(await calls.verify(user, wrong)).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    await calls.add(user, 'a');
    for (const [at, tenant] of ['', '/t1'].entries()) {
      expect(await calls.verify(user, wrong, tenant)).toMatchObject({ currentNumberOfFailedAttempts: at + 1 });
    }
  });
});

describe('for other recipes', () => {
  const used = (userId: string) => core.services.store.read((reader) => isTotpUsed(reader, appNumber(1), userId));

  test('whether a user id is in use, and its removal', async () => {
    const user = newUser();
    expect(await used(user)).toBe(false);
    const secret = await calls.add(user, 'a');
    expect(await used(user)).toBe(true);
    for (let i = 0; i < 5; i++) await calls.prove(user, 'a', calls.wrong(secret));
    await core.services.store.transact((tx) => removeTotp(tx, appNumber(1), user));
    expect(await used(user)).toBe(false);
    await calls.add(user, 'a');
    expect(await calls.prove(user, 'a', '1')).toMatchObject({ currentNumberOfFailedAttempts: 1 });
  });

  test('a bulk import stores verified devices over whatever is there', async () => {
    const user = newUser();
    await calls.addVerified(user, 'a');
    const devices = ['a', undefined, undefined].map((deviceName) => ({ deviceName, secretKey: SECRET, skew: 0, period: PERIOD }));
    const owner = { app: appNumber(1), userId: user };
    await core.services.store.transact(async (tx) => putDevices(tx, owner, withImportedDevices(await devicesOf(tx, owner), devices, 1)));
    expect(await names(user)).toEqual(['TOTP Device 1!', 'TOTP Device 2!', 'a!']);
    expect(await calls.verify(user, calls.code(SECRET))).toEqual({ status: 'OK' });
  });

  test('the state of many users at once', async () => {
    const [proven, unproven] = [newUser(), newUser()];
    await calls.addVerified(proven, 'a');
    await calls.add(proven, 'b');
    await calls.add(unproven, 'a');
    expect(await calls.post('/device/status/bulk', { userIds: [unproven, proven, 'nobody', proven] })).toEqual({
      status: 'OK',
      users: [
        { userId: unproven, hasVerifiedDevice: false },
        { userId: proven, hasVerifiedDevice: true },
        { userId: 'nobody', hasVerifiedDevice: null },
        { userId: proven, hasVerifiedDevice: true },
      ],
    });
  });
});
