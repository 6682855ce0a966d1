import type { Commands } from '../../generated/commands.ts';
import type { Page } from '../../store/store.ts';
import { findId } from '../accounts/find.ts';
import type { Context } from '../context.ts';
import { getSession } from '../session/get-session.ts';
import { type SessionSummary, sessionsOfTenant, sessionsOfUser, summaryOf } from '../session/session-summaries.ts';
import { pageRange } from './page.ts';
import { UNKNOWN_USER, type UnknownUser } from './unknown-user.ts';

/** `GET /manage/v1/sessions`: the sessions of the addressed tenant, the newest first. @throws Refusal */
export function listTenantSessions(context: Context, command: Commands['management/list-sessions']): Promise<Page<SessionSummary>> {
  return sessionsOfTenant(context, pageRange(command));
}

/** `GET /manage/v1/user/sessions`: the sessions of a user in all tenants. @throws Refusal */
export async function listUserSessions(
  context: Context,
  command: Commands['management/list-user-sessions'],
): Promise<UnknownUser | ({ readonly status: 'OK' } & Page<SessionSummary>)> {
  const { store, tenant } = context;
  const { userId } = command;
  const page = await sessionsOfUser(context, userId, pageRange(command));
  const isKnown = page.items.length > 0 || (await store.read((reader) => findId(reader, tenant.app, userId))) !== undefined;
  return isKnown ? { status: 'OK', ...page } : UNKNOWN_USER;
}

/** A session, and whose it is. */
export interface ShownSession extends SessionSummary {
  /** The internal id of the primary user, or the one under which the session stands. */
  readonly userId: string;
}

/** `GET /manage/v1/session`; undefined where there is none. */
export async function showSession(context: Context, command: Commands['management/show-session']): Promise<ShownSession | undefined> {
  const found = await getSession(context, command);
  return found && { ...summaryOf(found.row, found.tenantId), userId: found.userId };
}
