import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { tenantIdOfHandle } from '../session/handle.ts';
import { removeByHandle } from '../session/remove-sessions.ts';

/** `POST /manage/v1/session/revoke`: the handles of the sessions that this call ended. @throws Refusal */
export function revokeSessions(context: Context, { sessionHandles }: Commands['management/revoke-sessions']): Promise<readonly string[]> {
  return removeByHandle(context, sessionHandles, async (tx, ending) => {
    for (const { handle, userId } of ending) {
      const at = { ...context.tenant, tenantId: tenantIdOfHandle(handle) };
      await recordEvent(tx, context, 'session.revoked', { userId, at, details: { session: handle } });
    }
  });
}
