import type { JsonValue } from '../../json/free-form.ts';
import type { Answer } from '../route.ts';
import type { Context } from '../context.ts';
import { listAnswer } from '../list-answer.ts';
import { signedInView, userView } from '../users/views.ts';
import { contactMember } from './contact.ts';
import type { ConsumeCodeResult } from './consume-code.ts';
import type { GetUserResult } from './get-user.ts';
import type { Verdict } from './prove-code.ts';
import type { DeviceRecord } from './records.ts';

type Members = { readonly [name: string]: JsonValue };

/** A device as answers show it, without its codes. */
const deviceView = (device: DeviceRecord): Members => ({
  preAuthSessionId: device.deviceIdHash,
  failedCodeInputAttemptCount: device.failedAttempts,
  ...contactMember(device.contact),
});

/** Contract 03 section 5.3; the device is shown to versions that know of it. */
export function consumedView(result: ConsumeCodeResult, { traits }: Context): Answer {
  if (result.status !== 'OK') return { json: { ...result } };
  const { createdNewUser, device } = result;
  return {
    json: {
      status: 'OK',
      createdNewUser,
      ...signedInView(result, traits),
      consumedDevice: traits.passwordlessDevices ? deviceView(device) : undefined,
    },
  };
}

/** Contract 03 section 5.4. */
export function checkedView(verdict: Verdict): Answer {
  return { json: verdict.status === 'OK' ? { status: 'OK', consumedDevice: deviceView(verdict.device) } : { ...verdict } };
}

/** Contract 03 section 5.5: devices with all their codes. */
export function devicesView(devices: AsyncIterable<readonly DeviceRecord[]>, { tenant }: Context): Answer {
  const codeLifetime = tenant.config.passwordless_code_lifetime;
  const view = (device: DeviceRecord): Members => ({
    ...deviceView(device),
    codes: device.codes.map(({ id, createdAt }) => ({ codeId: id, timeCreated: createdAt, codeLifetime })),
  });
  return listAnswer('devices', devices, view);
}

/** Contract 03 section 5.8. */
export function foundUserView(result: GetUserResult, { traits }: Context): Answer {
  return { json: result.status === 'OK' ? { status: 'OK', user: userView(result.user, traits) } : { ...result } };
}
