import { secretBytesEqual } from '../../crypto/constant-time.ts';
import { hashDeviceId, hashLinkCode, linkCodeOf } from '../../crypto/passwordless-codes.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { countGiven } from './contact.ts';
import { decodeField } from './decode.ts';
import { deviceByLinkCode, findDevice, isLive, removeDevice } from './devices.ts';
import { type CodeRecord, type Contact, type DeviceRecord, devices } from './records.ts';

/** What consume and check are given. */
export type ProofCommand = Commands['passwordless/consume-code'];

/** What a caller claims to know, in the form in which it is kept. */
export interface Proof {
  readonly deviceIdHash: string;
  readonly linkCodeHash: string;
  readonly contact: Contact;
  /** Link codes are not guessed, so a wrong one does not count as a try. */
  readonly byLink: boolean;
}

/** What came of a proof; unless it is `OK`, tries were counted and spent devices removed. */
export type Verdict =
  | { readonly status: 'OK'; readonly device: DeviceRecord }
  | { readonly status: 'RESTART_FLOW_ERROR' }
  | {
      readonly status: 'EXPIRED_USER_INPUT_CODE_ERROR' | 'INCORRECT_USER_INPUT_CODE_ERROR';
      readonly failedCodeInputAttemptCount: number;
      readonly maximumCodeInputAttempts: number;
    };

/** Where there is nothing to prove anything against. */
export const RESTART = { status: 'RESTART_FLOW_ERROR' } as const;

/** Which members must be there, whatever they hold; only then what they hold (contract 03 section 5.2). */
export function checkProofCommand({ linkCode, deviceId, userInputCode }: ProofCommand, context: Context): void {
  const ofPair = countGiven(deviceId, userInputCode);
  if (ofPair !== (linkCode === undefined ? 2 : 0)) {
    throw new Refusal('bad-input', { text: 'Please provide exactly one of linkCode or deviceId+userInputCode' });
  }
  context.checkLate();
}

/**
 * Steps 1 and 2 of contract 03 section 5.2, outside the transaction since they hash: a device's salt never changes.
 * Answers nothing where the flow has to start again.
 * @throws Refusal for undecodable members, and where the device is not the one of `preAuthSessionId`
 */
export async function readProof(context: Context, command: ProofCommand): Promise<Proof | undefined> {
  const proof = command.linkCode === undefined ? await readPair(context, command) : await readLink(context, command.linkCode);
  if (proof && proof.deviceIdHash !== command.preAuthSessionId.replaceAll('=', '')) {
    throw new Refusal('bad-input', { text: "preAuthSessionId and deviceId doesn't match" });
  }
  return proof;
}

async function readLink({ store, tenant, now }: Context, linkCode: string): Promise<Proof | undefined> {
  const linkCodeHash = hashLinkCode(decodeField('linkCode', linkCode));
  const device = await store.read((reader) => deviceByLinkCode(reader, tenant, linkCodeHash));
  const code = device && codeIn(device, linkCodeHash);
  if (!code || !isLive(code, now(), tenant.config.passwordless_code_lifetime)) return undefined;
  return { deviceIdHash: device.deviceIdHash, contact: device.contact, linkCodeHash, byLink: true };
}

async function readPair({ store, tenant }: Context, command: ProofCommand): Promise<Proof | undefined> {
  const deviceId = decodeField('deviceId', command.deviceId ?? '');
  const deviceIdHash = hashDeviceId(deviceId);
  const device = await store.read((reader) => findDevice(reader, tenant, deviceIdHash));
  if (!device) return undefined;
  const linkCode = linkCodeOf({ deviceId, salt: device.linkCodeSalt }, command.userInputCode ?? '');
  return { deviceIdHash, contact: device.contact, linkCodeHash: hashLinkCode(linkCode), byLink: false };
}

/** Steps 3 and 4 of contract 03 section 5.2, in the caller's transaction. `now`: ms. */
export async function judgeProof(tx: Transaction, context: Context, proof: Proof, now: number): Promise<Verdict> {
  const { tenant } = context;
  const { passwordless_max_code_input_attempts: most, passwordless_code_lifetime: lifetime } = tenant.config;
  const device = await findDevice(tx, tenant, proof.deviceIdHash);
  if (!device) return RESTART;
  if (device.failedAttempts >= most) return restartWithout(tx, context, device);
  const code = codeIn(device, proof.linkCodeHash);
  if (code && isLive(code, now, lifetime)) return { status: 'OK', device };
  if (proof.byLink) return RESTART;
  const failedAttempts = device.failedAttempts + 1;
  if (failedAttempts >= most) return restartWithout(tx, context, device);
  await tx.put(devices, { ...device, failedAttempts });
  return {
    status: code ? 'EXPIRED_USER_INPUT_CODE_ERROR' : 'INCORRECT_USER_INPUT_CODE_ERROR',
    failedCodeInputAttemptCount: failedAttempts,
    maximumCodeInputAttempts: most,
  };
}

async function restartWithout(tx: Transaction, context: Context, { deviceIdHash }: DeviceRecord): Promise<Verdict> {
  await removeDevice(tx, context.tenant, deviceIdHash);
  await recordEvent(tx, context, 'sign-in.blocked', { details: { by: 'passwordless code' } });
  return RESTART;
}

function codeIn(device: DeviceRecord, linkCodeHash: string): CodeRecord | undefined {
  const wanted = Buffer.from(linkCodeHash);
  return device.codes.find((code) => secretBytesEqual(Buffer.from(code.linkCodeHash), wanted));
}
