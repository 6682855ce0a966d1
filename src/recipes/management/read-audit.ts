import type { Commands } from '../../generated/commands.ts';
import { EVENT_KINDS, type EventKind, isKind } from '../audit/kinds.ts';
import { type AppOfEvents, type EventPage, readEvents } from '../audit/read-events.ts';
import { mappingByExternalId, mappingByInternalId } from '../accounts/mappings.ts';
import { asExternal, asInternal } from '../accounts/ids.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_TENANT_ID } from '../tenants/address.ts';
import { pageRange } from './page.ts';

type Command = Commands['management/read-audit'];

/** A page, and in which order it was asked for. */
export interface AuditPage extends EventPage {
  readonly isNewestFirst: boolean;
}

/**
 * `GET /manage/v1/audit`: events of the addressed app, also of one that was removed, or of all apps, the newest first
 * or from the oldest on. Those that were committed a second ago are not among them yet. @throws Refusal
 */
export async function readAudit(context: Context, command: Command): Promise<AuditPage> {
  const { limit } = pageRange({ limit: command.limit });
  const { order = 'DESC', paginationToken, everywhere = false, tenantId, since, until } = command;
  if (order !== 'ASC' && order !== 'DESC') throw bad("order must be 'ASC' or 'DESC'");
  const from = paginationToken === undefined ? undefined : positionIn(paginationToken);
  const { cud, appId } = context.address;
  const app = everywhere ? undefined : { cud, appId };
  const userIds = command.userId === undefined ? undefined : await idsOf(context, app, command.userId);
  const kinds = kindsIn(command.kind);
  const isNewestFirst = order === 'DESC';
  const filter = { app, tenantId, userIds, kinds, since, until };
  return { ...(await readEvents(context.store, filter, { limit, reverse: isNewestFirst, from })), isNewestFirst };
}

/** An id, and the one that it is mapped to: events name users as their callers knew them then. */
async function idsOf({ store, directory }: Context, app: AppOfEvents | undefined, userId: string): Promise<readonly string[]> {
  const tenant = app && (await directory.find({ ...app, tenantId: DEFAULT_TENANT_ID }));
  if (!tenant) return [userId];
  const [own, foreign] = await store.read((reader) =>
    reader.getMany([mappingByInternalId(tenant.app, asInternal(userId)), mappingByExternalId(tenant.app, asExternal(userId))]),
  );
  return [...new Set([userId, own?.externalUserId ?? userId, foreign?.superTokensUserId ?? userId])];
}

function kindsIn(names: readonly string[] = []): readonly EventKind[] | undefined {
  const unknown = names.find((name) => !isKind(name));
  if (unknown !== undefined) throw bad(`kind must be some of ${EVENT_KINDS.join(', ')}`);
  return names.length === 0 ? undefined : names.filter(isKind);
}

function positionIn(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw bad('paginationToken is not one that was given out');
  return Number(text);
}

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
