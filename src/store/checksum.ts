import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * What is stored carries a CRC-32 of its key and itself, so that the next read notices a flipped bit, or that it stands
 * under another key than it was written for. A record has it at its end (`defineCollection`), an index entry here:
 *
 *   index entry   01, the sum (four bytes), then what it says
 */
const SEALED = 0x01;
const CONTENT_AT = 5;

/** A stored value is not what was written there. */
export class DamagedValue extends Error {
  override readonly name = 'DamagedValue';
}

/** The sum of bytes under a key. */
export function sumOf(key: Uint8Array, bytes: Uint8Array): number {
  return crc32(bytes, crc32(key));
}

/** A name for a key, which may hold emails and the like and must not be shown. */
export function digestOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/** The value of an index entry. */
export function seal(key: Uint8Array, content: Uint8Array): Uint8Array {
  const value = Buffer.allocUnsafe(CONTENT_AT + content.length);
  value[0] = SEALED;
  value.writeUInt32BE(sumOf(key, content), 1);
  value.set(content, CONTENT_AT);
  return value;
}

/** What the value of an index entry says; `undefined` where `seal` did not make it of this key. */
export function unseal(key: Uint8Array, value: Uint8Array): Uint8Array | undefined {
  if (value.length < CONTENT_AT || value[0] !== SEALED) return undefined;
  const content = value.subarray(CONTENT_AT);
  return Buffer.prototype.readUInt32BE.call(value, 1) === sumOf(key, content) ? content : undefined;
}
