import { createHash } from 'node:crypto';

/** Lower-case hex of SHA-256 over the UTF-8 bytes of the text (`sha` in contract 02 section 1.3). */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
