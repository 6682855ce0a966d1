import { isJsonObject, type JsonText, parseJsonObject, toJsonText } from '../../../json/free-form.ts';
import { queueEntries, type QueueStatus } from '../../../recipes/bulk-import/records.ts';
import { dashboardSessions, dashboardUsers } from '../../../recipes/dashboard/records.ts';
import { numberIn, textIn, wordIn } from '../layout.ts';
import type { TableGroup } from '../table-group.ts';
import { homeOf } from './user-data.ts';

/** Who may use dashboards, and is signed in there. */
export const DASHBOARD: TableGroup = {
  name: 'dashboard users',
  parts: [
    {
      table: 'dashboard_users',
      unit: ['app_id', 'user_id'],
      columns: ['app_id', 'user_id', 'email', 'password_hash', 'time_joined'],
    },
    {
      table: 'dashboard_user_sessions',
      unit: ['app_id', 'user_id'],
      names: ['session_id'],
      columns: ['app_id', 'session_id', 'user_id', 'time_created', 'expiry'],
    },
  ],
  collections: [dashboardUsers, dashboardSessions],
  convert: (unit) => {
    const place = homeOf(unit);
    if (!place) return;
    const { app } = place;
    const [row] = unit.rows('dashboard_users');
    if (!row) return unit.leaveAll('ghost');
    const userId = wordIn(row, 'user_id');
    const passwordHash = wordIn(row, 'password_hash');
    unit.make(dashboardUsers, {
      app,
      id: userId,
      email: wordIn(row, 'email'),
      passwordHash,
      timeJoined: numberIn(row, 'time_joined') ?? 0,
    });
    for (const session of unit.rows('dashboard_user_sessions')) {
      const expiresAt = numberIn(session, 'expiry') ?? 0;
      if (expiresAt < unit.places.now) unit.leave(session, 'expired');
      else {
        const createdAt = numberIn(session, 'time_created') ?? 0;
        unit.make(dashboardSessions, { app, id: wordIn(session, 'session_id'), userId, createdAt, expiresAt });
      }
    }
  },
};

/** Users who wait to be imported, or could not be. */
export const QUEUE: TableGroup = {
  name: 'import queue',
  parts: [
    {
      table: 'bulk_import_users',
      unit: ['app_id', 'id'],
      columns: ['app_id', 'id', 'primary_user_id', 'raw_data', 'status', 'error_msg', 'created_at', 'updated_at'],
    },
  ],
  collections: [queueEntries],
  basis: ({ imported }) => [...imported],
  convert: (unit) => {
    const place = homeOf(unit);
    if (!place) return;
    for (const row of unit.rows('bulk_import_users')) {
      // The old worker made the user, and was stopped before it removed the entry, whose id the user has.
      if (place.imported.has(wordIn(row, 'id'))) return unit.leaveAll('imported already');
      const texts = queuedTexts(wordIn(row, 'raw_data'));
      if (!texts) {
        const remedy = 'delete the entry, and add the user again';
        return unit.lose('bulk_import_users', row, { reason: 'its raw_data is no JSON object', remedy });
      }
      const status: QueueStatus = wordIn(row, 'status') === 'FAILED' ? 'FAILED' : 'NEW';
      unit.make(queueEntries, {
        app: place.app,
        id: wordIn(row, 'id'),
        status,
        createdAt: numberIn(row, 'created_at') ?? 0,
        updatedAt: numberIn(row, 'updated_at') ?? 0,
        user: Buffer.from(texts.user),
        metadata: texts.metadata && Buffer.from(texts.metadata),
        errorMessage: status === 'FAILED' ? textIn(row, 'error_msg') : undefined,
      });
    }
  },
};

/** The user as our queue keeps it: without the id of its entry, and with its metadata apart. */
function queuedTexts(raw: string): { readonly user: JsonText; readonly metadata: JsonText | undefined } | undefined {
  const object = parseJsonObject(raw);
  if (!object) return undefined;
  const { id: _id, userMetadata, ...user } = object;
  return { user: toJsonText(user), metadata: isJsonObject(userMetadata) ? toJsonText(userMetadata) : undefined };
}
