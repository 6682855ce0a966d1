import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import { lastActive } from './records.ts';

/** When the user with this internal primary id was last active, ms since the epoch; `undefined` for never. */
export function lastActiveOf(reader: Reader, app: AppNumber, userId: string): MaybePromise<number | undefined> {
  return whenReady(reader.get(lastActive, [app, userId]), (record) => record?.at);
}
