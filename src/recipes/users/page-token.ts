import { decodeBase64 } from '../../crypto/base64.ts';
import { asInternal } from '../accounts/ids.ts';
import type { Place } from './listing.ts';

const LONG = /^[+-]?[0-9]+$/;
const LEAST_LONG = -(2n ** 63n);
const MOST_LONG = 2n ** 63n - 1n;

/** The token of the page that begins at a place: base64 of `<internal id>;<ms>` (contract 01 section 1.4). */
export function pageToken({ id, timeJoined }: Place): string {
  return Buffer.from(`${id};${timeJoined}`).toString('base64');
}

/** The place in a token, whether or not a user is there; `undefined` for other texts (contract 01 section 9.2). */
export function readPageToken(token: string): Place | undefined {
  const decoded = decodeBase64(token, 'standard');
  if ('error' in decoded) return undefined;
  // Empty parts at the end do not count.
  const [id, time, ...more] = decoded.bytes.toString().replace(/;+$/, '').split(';');
  if (id === undefined || time === undefined || more.length > 0 || !LONG.test(time)) return undefined;
  const timeJoined = BigInt(time.replace('+', ''));
  return timeJoined >= LEAST_LONG && timeJoined <= MOST_LONG ? { id: asInternal(id), timeJoined: Number(timeJoined) } : undefined;
}
