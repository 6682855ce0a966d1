import { hashDeviceId } from '../../crypto/passwordless-codes.ts';
import type { Commands } from '../../generated/commands.ts';
import { pagesFrom } from '../../store/pages.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { contactOf, countGiven } from './contact.ts';
import { decodeField } from './decode.ts';
import { devicesOfContact, findDevice } from './devices.ts';
import type { DeviceRecord } from './records.ts';

type Command = Commands['passwordless/list-codes'];

/** By what devices are looked up: exactly one thing (contract 03 section 5.5). */
export function checkListCodes({ email, phoneNumber, deviceId, preAuthSessionId }: Command): void {
  if (countGiven(email, phoneNumber, deviceId, preAuthSessionId) !== 1) {
    throw new Refusal('bad-input', { text: 'Please provide exactly one of email, phoneNumber, deviceId or preAuthSessionId' });
  }
}

/** `GET /recipe/signinup/codes` (contract 03 section 5.5): this tenant's devices with codes, even expired ones. */
export async function listCodes({ store, tenant }: Context, command: Command): Promise<AsyncIterable<readonly DeviceRecord[]>> {
  const contact = contactOf(command);
  if (contact) return store.readPages((reader, hold) => hold(devicesOfContact(reader, tenant, contact)));
  const { deviceId, preAuthSessionId } = command;
  const deviceIdHash = deviceId === undefined ? (preAuthSessionId ?? '') : hashDeviceId(decodeField('deviceId', deviceId));
  const device = await store.read((reader) => findDevice(reader, tenant, deviceIdHash));
  return pagesFrom(device ? [device] : []);
}
