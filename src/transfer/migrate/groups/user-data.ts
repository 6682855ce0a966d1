import { createHash } from 'node:crypto';
import { asExternal, asInternal } from '../../../recipes/accounts/ids.ts';
import { mappingsByExternalId, mappingsByInternalId } from '../../../recipes/accounts/mapping-records.ts';
import { lastActive } from '../../../recipes/active-users/records.ts';
import { verifiedEmails } from '../../../recipes/email-verification/records.ts';
import { metadataRecord } from '../../../recipes/user-metadata/metadata-search.ts';
import { metadata } from '../../../recipes/user-metadata/records.ts';
import { assignments, roles } from '../../../recipes/user-roles/records.ts';
import type { AppNumber } from '../../../store/store.ts';
import { numberIn, textIn, wordIn } from '../layout.ts';
import type { AppPlace, TableGroup, Unit } from '../table-group.ts';
import { objectIn } from './json-in.ts';

/** The app of a unit; rows of one that nobody can reach are left behind. */
export function appOf(unit: Unit): AppPlace | undefined {
  const [, any] = unit.all()[0] ?? [];
  const place = any && unit.places.app(wordIn(any, 'app_id'));
  if (!place) unit.leaveAll('unreachable');
  return place;
}

/** The same for what counts only where the app's public tenant is. */
export function homeOf(unit: Unit): AppPlace | undefined {
  const place = appOf(unit);
  if (!place || place.isHome) return place;
  unit.leaveAll('of an app that is at home elsewhere');
  return undefined;
}

/** A uuid that is always the same for a text: a move that is repeated makes the same records. */
export function uuidFor(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Ids by which applications know users. */
export const MAPPINGS: TableGroup = {
  name: 'user id mappings',
  parts: [
    {
      table: 'userid_mapping',
      unit: ['app_id', 'supertokens_user_id'],
      columns: ['app_id', 'supertokens_user_id', 'external_user_id', 'external_user_id_info'],
    },
  ],
  collections: [mappingsByInternalId, mappingsByExternalId],
  convert: (unit) => {
    const place = appOf(unit);
    if (!place) return;
    for (const row of unit.rows('userid_mapping')) {
      const mapping = {
        app: place.app,
        superTokensUserId: asInternal(wordIn(row, 'supertokens_user_id')),
        externalUserId: asExternal(wordIn(row, 'external_user_id')),
        externalUserIdInfo: textIn(row, 'external_user_id_info') ?? null,
      };
      unit.make(mappingsByInternalId, mapping);
      unit.make(mappingsByExternalId, mapping);
    }
  },
};

export const VERIFIED_EMAILS: TableGroup = {
  name: 'verified emails',
  parts: [{ table: 'emailverification_verified_emails', unit: ['app_id', 'user_id', 'email'], columns: ['app_id', 'user_id', 'email'] }],
  collections: [verifiedEmails],
  convert: (unit) => {
    const place = appOf(unit);
    if (!place) return;
    for (const row of unit.rows('emailverification_verified_emails'))
      unit.make(verifiedEmails, { app: place.app, userId: wordIn(row, 'user_id'), email: wordIn(row, 'email') });
  },
};

export const METADATA: TableGroup = {
  name: 'metadata',
  parts: [{ table: 'user_metadata', unit: ['app_id', 'user_id'], columns: ['app_id', 'user_id', 'user_metadata'] }],
  collections: [metadata],
  convert: (unit) => {
    const place = appOf(unit);
    if (!place) return;
    for (const row of unit.rows('user_metadata')) {
      const text = objectIn(row, 'user_metadata');
      if (text === undefined) {
        unit.lose('user_metadata', row, {
          reason: 'it is no JSON object that is taken here',
          remedy: 'write it anew in the old core, or remove it',
        });
        continue;
      }
      const owner = { app: place.app, userId: wordIn(row, 'user_id') };
      // Configured keys are found in it once the core has built their index.
      unit.make(metadata, metadataRecord(owner, text, { searchKeys: [] }));
    }
  },
};

const roleId = (app: AppNumber, role: string): string => uuidFor(`role ${app} ${role}`);

export const ROLES: TableGroup = {
  name: 'roles',
  parts: [
    { table: 'roles', unit: ['app_id', 'role'], columns: ['app_id', 'role'] },
    { table: 'role_permissions', unit: ['app_id', 'role'], names: ['role', 'permission'], columns: ['app_id', 'role', 'permission'] },
  ],
  collections: [roles],
  convert: (unit) => {
    const place = appOf(unit);
    if (!place) return;
    const [row] = unit.rows('roles');
    if (!row) return unit.leaveAll('no such role');
    const name = wordIn(row, 'role');
    const permissions = unit.rows('role_permissions').map((each) => wordIn(each, 'permission'));
    unit.make(roles, { app: place.app, name, id: roleId(place.app, name), permissions: permissions.toSorted() });
  },
};

export const ASSIGNMENTS: TableGroup = {
  name: 'roles of users',
  parts: [{ table: 'user_roles', unit: ['app_id', 'tenant_id', 'user_id', 'role'], columns: ['app_id', 'tenant_id', 'user_id', 'role'] }],
  collections: [assignments],
  basis: ({ roles: names }) => [...names],
  convert: (unit) => {
    for (const row of unit.rows('user_roles')) {
      const [app, role] = [wordIn(row, 'app_id'), wordIn(row, 'role')];
      const place = unit.places.tenant(app, wordIn(row, 'tenant_id'));
      if (!place) return unit.leaveAll('unreachable');
      if (!unit.places.app(app)?.roles.has(role)) return unit.leaveAll('no such role');
      const owner = { app: place.app, tenant: place.tenant, userId: wordIn(row, 'user_id') };
      unit.make(assignments, { ...owner, role, roleId: roleId(place.app, role) });
    }
  },
};

export const LAST_ACTIVE: TableGroup = {
  name: 'last active times',
  parts: [{ table: 'user_last_active', unit: ['app_id', 'user_id'], columns: ['app_id', 'user_id', 'last_active_time'] }],
  collections: [lastActive],
  convert: (unit) => {
    const place = homeOf(unit);
    if (!place) return;
    for (const row of unit.rows('user_last_active'))
      unit.make(lastActive, { app: place.app, userId: wordIn(row, 'user_id'), at: numberIn(row, 'last_active_time') ?? 0 });
  },
};
