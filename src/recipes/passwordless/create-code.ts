import {
  hashDeviceId,
  hashLinkCode,
  linkCodeOf,
  newDeviceSecrets,
  newUserInputCode,
  type DeviceSecrets,
} from '../../crypto/passwordless-codes.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { contactOf, countGiven } from './contact.ts';
import { decodeField } from './decode.ts';
import { findDevice, withCode } from './devices.ts';
import { requirePasswordless } from './enabled.ts';
import { type CodeRecord, type Contact, type DeviceRecord, devices } from './records.ts';

type Command = Commands['passwordless/create-code'];

export type CreateCodeResult =
  | { readonly status: 'RESTART_FLOW_ERROR' | 'USER_INPUT_CODE_ALREADY_USED_ERROR' }
  | {
      readonly status: 'OK';
      readonly preAuthSessionId: string;
      readonly codeId: string;
      readonly deviceId: string;
      readonly userInputCode: string;
      readonly linkCode: string;
      /** ms since the epoch */
      readonly timeCreated: number;
      /** ms */
      readonly codeLifetime: number;
    };

/** Of a million codes a device has a hundred at most: more draws than this mean that something else is wrong. */
const MOST_DRAWS = 20;

/** Checks that there is one destination, and only then the type of the code (contract 03 section 5.1). */
export function checkCreateCode({ email, phoneNumber, deviceId }: Command, context: Context): void {
  if (countGiven(email, phoneNumber, deviceId) !== 1) {
    throw new Refusal('bad-input', { text: 'Please provide exactly one of email, phoneNumber or deviceId' });
  }
  context.checkLate();
}

/** `POST /recipe/signinup/code` (contract 03 section 5.1): a new device's first code, or another of a known device. */
export async function createCode(context: Context, command: Command): Promise<CreateCodeResult> {
  requirePasswordless(context);
  const contact = contactOf(command);
  return contact ? createDevice(context, contact, command.userInputCode) : addCode(context, command);
}

async function createDevice(context: Context, contact: Contact, wanted: string | undefined): Promise<CreateCodeResult> {
  const { store, tenant, randomBytes } = context;
  const secrets = newDeviceSecrets(randomBytes);
  const minted = mintCode(context, secrets, wanted);
  const empty: DeviceRecord = {
    app: tenant.app,
    tenant: tenant.tenant,
    deviceIdHash: hashDeviceId(secrets.deviceId),
    contact,
    linkCodeSalt: secrets.salt,
    failedAttempts: 0,
    codes: [],
    cleanAfter: 0,
  };
  const device = withCode(empty, minted.code, tenant.config.passwordless_code_lifetime);
  const taken = await store.transact((tx) => tx.insert(devices, device));
  if (taken !== undefined) throw new Error('a random passwordless device was drawn twice');
  return answer(context, secrets, minted);
}

async function addCode(context: Context, command: Command): Promise<CreateCodeResult> {
  const { store, tenant } = context;
  const deviceId = decodeField('deviceId', command.deviceId ?? '');
  const deviceIdHash = hashDeviceId(deviceId);
  const known = await store.read((reader) => findDevice(reader, tenant, deviceIdHash));
  if (!known) return { status: 'RESTART_FLOW_ERROR' };
  const secrets = { deviceId, salt: known.linkCodeSalt };
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const minted = mintCode(context, secrets, command.userInputCode);
    const outcome = await keepCode(context, deviceIdHash, minted.code);
    if (outcome === 'kept') return answer(context, secrets, minted);
    if (outcome === 'gone') return { status: 'RESTART_FLOW_ERROR' };
    if (command.userInputCode !== undefined) return { status: 'USER_INPUT_CODE_ALREADY_USED_ERROR' };
  }
  throw new Error('every user input code that was drawn is in use');
}

/** Expired codes count as used too: the link code of two codes would be the same. */
function keepCode({ store, tenant }: Context, deviceIdHash: string, code: CodeRecord): Promise<'kept' | 'used' | 'gone'> {
  return store.transact(async (tx) => {
    const device = await findDevice(tx, tenant, deviceIdHash);
    if (!device) return 'gone';
    if (device.codes.some(({ linkCodeHash }) => linkCodeHash === code.linkCodeHash)) return 'used';
    const taken = await tx.put(devices, withCode(device, code, tenant.config.passwordless_code_lifetime));
    return taken === undefined ? 'kept' : 'used';
  });
}

/** A new code and what is sent out of it. */
interface MintedCode {
  readonly code: CodeRecord;
  readonly userInputCode: string;
  readonly linkCode: string;
}

function mintCode({ now, randomBytes, randomId }: Context, secrets: DeviceSecrets, wanted: string | undefined): MintedCode {
  const userInputCode = wanted ?? newUserInputCode(randomBytes);
  const linkCode = linkCodeOf(secrets, userInputCode);
  return {
    code: { id: randomId(), linkCodeHash: hashLinkCode(linkCode), createdAt: now() },
    userInputCode,
    linkCode: linkCode.toString('base64url'),
  };
}

function answer({ tenant }: Context, { deviceId }: DeviceSecrets, { code, userInputCode, linkCode }: MintedCode): CreateCodeResult {
  return {
    status: 'OK',
    preAuthSessionId: hashDeviceId(deviceId),
    codeId: code.id,
    deviceId: deviceId.toString('base64'),
    userInputCode,
    linkCode,
    timeCreated: code.createdAt,
    codeLifetime: tenant.config.passwordless_code_lifetime,
  };
}
