import type { EventPlace } from '../audit/event.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { tenantIdOfHandle } from './handle.ts';
import type { Told } from './revoke.ts';

/** Leaves an event of each session that an operator ends. @param app any place in its app */
export function tellEnded(context: Context, { cud, appId }: EventPlace): Told {
  return async (tx, ending) => {
    for (const { handle, userId } of ending) {
      const at = { cud, appId, tenantId: tenantIdOfHandle(handle) };
      await recordEvent(tx, context, 'session.revoked', { userId, at, details: { session: handle } });
    }
  };
}
