import { createHash, createHmac } from 'node:crypto';

/** Bytes of a device id and of the salt of its link codes. */
const DEVICE_BYTES = 32;
const CODE_DIGITS = 6;
/** Three random bytes make 2^24 values; those from here on are drawn again, so that every code is equally likely. */
const FAIR_DRAWS = 16_000_000;

type RandomBytes = (size: number) => Buffer;

/** A new passwordless device: what is sent out once, and the salt that never is (contract 03 section 1.4). */
export interface DeviceSecrets {
  readonly deviceId: Buffer;
  /** Standard base64 with padding. */
  readonly salt: string;
}

/** Draws device id and salt. */
export function newDeviceSecrets(randomBytes: RandomBytes): DeviceSecrets {
  return { deviceId: randomBytes(DEVICE_BYTES), salt: randomBytes(DEVICE_BYTES).toString('base64') };
}

/** Draws the digits that a person types; leading zeros are kept. */
export function newUserInputCode(randomBytes: RandomBytes): string {
  for (;;) {
    const drawn = randomBytes(3).readUIntBE(0, 3);
    if (drawn < FAIR_DRAWS) return String(drawn % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
  }
}

/** What a device is known by, also to callers (`preAuthSessionId`): base64url without padding of the id's SHA-256. */
export function hashDeviceId(deviceId: Uint8Array): string {
  return createHash('sha256').update(deviceId).digest('base64url');
}

/** The raw link code of what a person types on a device; sent out as base64url without padding. */
export function linkCodeOf({ deviceId, salt }: DeviceSecrets, userInputCode: string): Buffer {
  const key = Buffer.concat([deviceId, Buffer.from(salt, 'base64')]);
  return createHmac('sha256', key).update(userInputCode, 'utf8').digest();
}

/** The form in which a link code is kept: base64url of its SHA-256, with the one `=` of padding that 32 bytes take. */
export function hashLinkCode(linkCode: Uint8Array): string {
  return `${createHash('sha256').update(linkCode).digest('base64url')}=`;
}
