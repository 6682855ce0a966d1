import { totpCode } from '../totp-code.ts';
import type { InProcessCore } from '../in-process-core.ts';
import type { Scenario } from './scenario.ts';

const totp = '/recipe/totp';
const dashboard = '/recipe/dashboard';
const device = { deviceName: 'd', skew: 1, period: 100_000 };
const password = 'validPass123';
let number = 0;

/** A user id with a device; what it takes to make them does not count. */
async function withDevice(core: InProcessCore): Promise<{ readonly userId: string; readonly code: string }> {
  const userId = `totp-${(number += 1)}`;
  const { body } = await core.call('POST', `${totp}/device`, { userId, ...device });
  core.takeRounds();
  return { userId, code: totpCode({ secret: String(body['secret']), ...device }, core.clock.now) ?? '' };
}

/** A dashboard user with a session; what it takes to make them does not count. */
async function withDashboardUser(core: InProcessCore) {
  const email = `dashboard-${(number += 1)}@example.com`;
  const made = (await core.call('POST', `${dashboard}/user`, { email, password })).body as { readonly user: { readonly userId: string } };
  const { body } = await core.call('POST', `${dashboard}/signin`, { email, password });
  core.takeRounds();
  return { email, userId: made.user.userId, sessionId: String(body['sessionId']) };
}

const TOTP: readonly Scenario[] = [
  { endpoint: `POST ${totp}/device`, budget: 1, play: (core) => core.call('POST', `${totp}/device`, { userId: 'u', ...device }) },
  {
    endpoint: `POST ${totp}/device/import`,
    budget: 1,
    play: (core) => core.call('POST', `${totp}/device/import`, { userId: 'u', ...device, secretKey: 'MFRGG' }),
  },
  {
    endpoint: `PUT ${totp}/device`,
    budget: 1,
    play: async (core) =>
      core.call('PUT', `${totp}/device`, { userId: (await withDevice(core)).userId, existingDeviceName: 'd', newDeviceName: 'e' }),
  },
  {
    endpoint: `POST ${totp}/device/remove`,
    budget: 2,
    play: async (core) => core.call('POST', `${totp}/device/remove`, { userId: (await withDevice(core)).userId, deviceName: 'd' }),
  },
  {
    endpoint: `DELETE ${totp}/device`,
    budget: 2,
    play: async (core) => core.call('DELETE', `${totp}/device`, { userId: (await withDevice(core)).userId, deviceName: 'd' }),
  },
  { endpoint: `GET ${totp}/device/list`, budget: 1, play: (core) => core.call('GET', `${totp}/device/list?userId=u`) },
  {
    endpoint: `POST ${totp}/device/status/bulk`,
    budget: 1,
    play: (core) => core.call('POST', `${totp}/device/status/bulk`, { userIds: ['a', 'b', 'c'] }),
  },
  {
    endpoint: `POST ${totp}/device/verify`,
    budget: 2,
    play: async (core) => {
      const { userId, code } = await withDevice(core);
      return core.call('POST', `${totp}/device/verify`, { userId, deviceName: 'd', totp: code });
    },
  },
  {
    endpoint: `POST ${totp}/verify`,
    budget: 2,
    play: async (core) => {
      const secretKey = 'MFRGG';
      const userId = `totp-${(number += 1)}`;
      await core.call('POST', `${totp}/device/import`, { userId, ...device, secretKey });
      core.takeRounds();
      const code = totpCode({ secret: secretKey, ...device }, core.clock.now);
      return core.call('POST', `${totp}/verify`, { userId, totp: code });
    },
  },
];

const DASHBOARD: readonly Scenario[] = [
  {
    endpoint: `POST ${dashboard}/user`,
    budget: 0,
    play: (core) => core.call('POST', `${dashboard}/user`, { email: 'd@example.com', password }),
  },
  {
    endpoint: `PUT ${dashboard}/user`,
    budget: 4,
    play: async (core) => {
      const { userId, email } = await withDashboardUser(core);
      return core.call('PUT', `${dashboard}/user`, { userId, newEmail: `new-${email}` });
    },
  },
  {
    endpoint: `DELETE ${dashboard}/user`,
    budget: 3,
    play: async (core) => core.call('DELETE', `${dashboard}/user?userId=${(await withDashboardUser(core)).userId}`),
  },
  { endpoint: `GET ${dashboard}/users`, budget: 1, play: (core) => core.call('GET', `${dashboard}/users`) },
  {
    // Two of them count the attempt and forget it, since it was right.
    endpoint: `POST ${dashboard}/signin`,
    budget: 4,
    play: async (core) => {
      const { email } = await withDashboardUser(core);
      return core.call('POST', `${dashboard}/signin`, { email, password });
    },
  },
  {
    endpoint: `POST ${dashboard}/session/verify`,
    budget: 2,
    play: async (core) => {
      const { sessionId } = await withDashboardUser(core);
      return core.call('POST', `${dashboard}/session/verify`, { sessionId });
    },
  },
  {
    endpoint: `DELETE ${dashboard}/session`,
    budget: 1,
    play: async (core) => core.call('DELETE', `${dashboard}/session?sessionId=${(await withDashboardUser(core)).sessionId}`),
  },
  {
    endpoint: `GET ${dashboard}/user/sessions`,
    budget: 1,
    play: async (core) => core.call('GET', `${dashboard}/user/sessions?userId=${(await withDashboardUser(core)).userId}`),
  },
  { endpoint: `GET ${dashboard}/tenant/core-config`, budget: 0, play: (core) => core.call('GET', `${dashboard}/tenant/core-config`) },
];

/** The endpoints of TOTP and dashboard. */
export const TOTP_AND_DASHBOARD_ROUNDS: readonly Scenario[] = [...TOTP, ...DASHBOARD];
