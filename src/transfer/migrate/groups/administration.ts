import { sha256Hex } from '../../../crypto/digests.ts';
import { isJsonObject, type JsonText, type JsonTree, parseJson, parseJsonObject, toJsonText } from '../../../json/free-form.ts';
import { queueEntries, type QueueStatus } from '../../../recipes/bulk-import/records.ts';
import { dashboardSessions, dashboardUsers } from '../../../recipes/dashboard/records.ts';
import { samlClaims, samlClients } from '../../../recipes/saml/records.ts';
import type { Row } from '../../../store/foreign-database.ts';
import { flagIn, numberIn, textIn, wordIn } from '../layout.ts';
import type { TableGroup, Unit } from '../table-group.ts';
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

/** SAML clients, and logins whose code is not redeemed yet. */
export const SAML: TableGroup = {
  name: 'SAML',
  parts: [
    {
      table: 'saml_clients',
      unit: ['app_id', 'tenant_id', 'client_id'],
      columns: [
        'app_id',
        'tenant_id',
        'client_id',
        'client_secret',
        'sso_login_url',
        'redirect_uris',
        'default_redirect_uri',
        'idp_entity_id',
        'idp_signing_certificate',
        'allow_idp_initiated_login',
        'enable_request_signing',
        'created_at',
        'updated_at',
      ],
    },
    {
      table: 'saml_claims',
      unit: ['app_id', 'tenant_id', 'client_id'],
      columns: ['app_id', 'tenant_id', 'client_id', 'code', 'claims', 'expires_at'],
    },
    { table: 'saml_relay_state', unit: ['app_id', 'tenant_id', 'client_id'], columns: ['app_id', 'tenant_id', 'client_id', 'expires_at'] },
  ],
  collections: [samlClients, samlClaims],
  convert: (unit) => {
    const [, any] = unit.all()[0] ?? [];
    const place = any && unit.places.tenant(wordIn(any, 'app_id'), wordIn(any, 'tenant_id'));
    if (!place) return unit.leaveAll('unreachable');
    // Our answers name the request that they answer, of which the old core keeps nothing.
    for (const row of unit.rows('saml_relay_state')) unit.leave(row, isOver(unit, row) ? 'expired' : 'SAML login under way');
    for (const row of unit.rows('saml_clients')) {
      unit.make(samlClients, {
        app: place.app,
        tenant: place.tenant,
        clientId: wordIn(row, 'client_id'),
        clientSecret: textIn(row, 'client_secret') ?? null,
        ssoLoginUrl: wordIn(row, 'sso_login_url'),
        redirectUris: textsIn(parsed(wordIn(row, 'redirect_uris'))),
        defaultRedirectUri: wordIn(row, 'default_redirect_uri'),
        idpEntityId: wordIn(row, 'idp_entity_id'),
        certificates: [wordIn(row, 'idp_signing_certificate')],
        allowIdpInitiatedLogin: flagIn(row, 'allow_idp_initiated_login'),
        enableRequestSigning: flagIn(row, 'enable_request_signing'),
        createdAt: numberIn(row, 'created_at') ?? 0,
        updatedAt: numberIn(row, 'updated_at') ?? 0,
      });
    }
    for (const row of unit.rows('saml_claims')) {
      if (isOver(unit, row)) {
        unit.leave(row, 'expired');
        continue;
      }
      const given = parseJsonObject(wordIn(row, 'claims')) ?? {};
      const claims = Object.entries(given).map(([name, values]) => [name, textsIn(values)] as const);
      const expiresAt = numberIn(row, 'expires_at') ?? 0;
      const at = { app: place.app, tenant: place.tenant, codeHash: sha256Hex(wordIn(row, 'code')) };
      unit.make(samlClaims, { ...at, clientId: wordIn(row, 'client_id'), claims, expiresAt });
    }
  },
};

const isOver = (unit: Unit, row: Row): boolean => (numberIn(row, 'expires_at') ?? 0) < unit.places.now;

const textsIn = (tree: JsonTree | undefined): readonly string[] =>
  Array.isArray(tree) ? tree.filter((item): item is string => typeof item === 'string') : [];

function parsed(text: string): JsonTree | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

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
  convert: (unit) => {
    const place = homeOf(unit);
    if (!place) return;
    for (const row of unit.rows('bulk_import_users')) {
      // The old worker notes the user that it has made, and then deletes the entry.
      if (wordIn(row, 'status') === 'PROCESSING' && textIn(row, 'primary_user_id') !== undefined) return unit.leaveAll('imported already');
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
