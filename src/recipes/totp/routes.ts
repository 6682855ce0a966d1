import type { Context } from '../context.ts';
import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { createDevice } from './create-device.ts';
import { checkKeptTotpFields, checkTotpFields } from './device-fields.ts';
import { importDevice } from './import-device.ts';
import { listDeviceStatuses } from './list-device-statuses.ts';
import { listDevices } from './list-devices.ts';
import { removeDevice } from './remove-device.ts';
import { renameDevice } from './rename-device.ts';
import { type VerifyDeviceResult, verifyDevice } from './verify-device.ts';
import { type VerifyTotpResult, verifyTotp } from './verify-totp.ts';

function checkAnswer(result: VerifyTotpResult | VerifyDeviceResult, { traits }: Context): Answer {
  if (!('failedAttempts' in result)) return { json: result };
  const { failedAttempts, maxAttempts, ...others } = result;
  if (!traits.totpAttemptCounts) return { json: others };
  return { json: { ...others, currentNumberOfFailedAttempts: failedAttempts, maxNumberOfFailedAttempts: maxAttempts } };
}

const DEVICE_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/totp/device',
    scope: 'app',
    input: 'totp/create-device',
    summary: 'Create a TOTP device that is still to be verified',
    tells: ['totp.device-created'],
    early: checkKeptTotpFields,
    run: createDevice,
    view: (result) => ({ json: result }),
  }),
  route({
    method: 'PUT',
    path: '/recipe/totp/device',
    scope: 'app',
    input: 'totp/rename-device',
    summary: 'Rename a TOTP device',
    tells: ['totp.device-renamed'],
    early: checkKeptTotpFields,
    run: renameDevice,
    view: (status) => ({ json: { status } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/totp/device/import',
    scope: 'app',
    input: 'totp/import-device',
    summary: 'Import a verified TOTP device',
    tells: ['totp.device-created'],
    early: checkKeptTotpFields,
    run: importDevice,
    view: (result) => ({ json: result }),
  }),
  route({
    method: 'GET',
    path: '/recipe/totp/device/list',
    scope: 'app',
    input: 'totp/list-devices',
    summary: 'TOTP devices of a user',
    early: checkTotpFields,
    run: listDevices,
    view: (devices) => ({
      json: { status: 'OK', devices: devices.map(({ name, period, skew, verified }) => ({ name, period, skew, verified })) },
    }),
  }),
  route({
    method: 'POST',
    path: '/recipe/totp/device/status/bulk',
    scope: 'verb',
    input: 'totp/list-device-statuses',
    summary: 'Whether each of many users has a verified TOTP device',
    silence: 'reads',
    run: listDeviceStatuses,
    view: (users) => ({ json: { status: 'OK', users: users.map((user) => ({ ...user })) } }),
  }),
];

/** The endpoint of the reference, and the name that the specification gives it. */
const REMOVE_ROWS: readonly Route[] = (
  [
    ['POST', '/recipe/totp/device/remove', 'totp/remove-device'],
    ['DELETE', '/recipe/totp/device', 'totp/delete-device'],
  ] as const
).map(([method, path, input]) =>
  route({
    method,
    path,
    scope: 'app',
    input,
    response: 'totp/remove-device',
    summary: 'Remove a TOTP device',
    tells: ['totp.device-removed'],
    early: checkTotpFields,
    run: removeDevice,
    view: (didDeviceExist) => ({ json: { status: 'OK', didDeviceExist } }),
  }),
);

const CODE_ROWS: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/totp/verify',
    scope: 'tenant',
    input: 'totp/verify-totp',
    summary: 'Check a TOTP code of a user',
    tells: ['sign-in.blocked'],
    silence: 'sign-in',
    early: checkTotpFields,
    run: verifyTotp,
    tallies: 'totp',
    view: checkAnswer,
  }),
  route({
    method: 'POST',
    path: '/recipe/totp/device/verify',
    scope: 'tenant',
    input: 'totp/verify-device',
    summary: 'Verify a TOTP device with one of its codes',
    tells: ['totp.device-verified', 'sign-in.blocked'],
    early: checkTotpFields,
    run: verifyDevice,
    view: checkAnswer,
  }),
];

/** TOTP devices and codes (contract 05 section 4). */
export const ROUTES: readonly Route[] = [...DEVICE_ROWS, ...REMOVE_ROWS, ...CODE_ROWS];
