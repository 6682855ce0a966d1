import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { removeByHandle } from '../session/remove-sessions.ts';
import { tellEnded } from '../session/tell-ended.ts';

/** `POST /manage/v1/session/revoke`: the handles of the sessions that this call ended. @throws Refusal */
export function revokeSessions(context: Context, { sessionHandles }: Commands['management/revoke-sessions']): Promise<readonly string[]> {
  return removeByHandle(context, sessionHandles, tellEnded(context, context.tenant));
}
