import { tenantIdOfHandle } from '../../../recipes/session/handle.ts';
import { type SessionHandle, type SessionRecord, sessions } from '../../../recipes/session-records/records.ts';
import { flagIn, numberIn, textIn, wordIn } from '../layout.ts';
import type { TableGroup } from '../table-group.ts';
import { objectIn } from './json-in.ts';

/** What a client would notice. */
const PROVED = [
  'session_handle',
  'user_id',
  'refresh_token_hash_2',
  'prev_refresh_token_hash_2',
  'refresh_token_rotated_at',
  'created_at_time',
  'expires_at',
  'use_static_key',
];

/** Sessions, with all that rotation needs, as they are (contract 09 section 5). */
export const SESSIONS: TableGroup = {
  name: 'sessions',
  parts: [
    {
      table: 'session_info',
      unit: ['app_id', 'tenant_id', 'session_handle'],
      columns: [
        'app_id',
        'tenant_id',
        'session_handle',
        'user_id',
        'refresh_token_hash_2',
        'prev_refresh_token_hash_2',
        'refresh_token_rotated_at',
        'session_data',
        'jwt_user_payload',
        'created_at_time',
        'expires_at',
        'use_static_key',
      ],
    },
  ],
  collections: [sessions],
  convert: (unit) => {
    for (const row of unit.rows('session_info')) {
      const tenantId = wordIn(row, 'tenant_id');
      const place = unit.places.tenant(wordIn(row, 'app_id'), tenantId);
      if (!place) return unit.leaveAll('unreachable');
      const [expiresAt, handle] = [numberIn(row, 'expires_at') ?? 0, wordIn(row, 'session_handle')];
      if (expiresAt <= unit.places.now) return unit.leaveAll('expired');
      if (tenantIdOfHandle(handle) !== tenantId) return unit.leaveAll('handle of another tenant');
      const [data, claims] = [objectIn(row, 'session_data'), objectIn(row, 'jwt_user_payload')];
      if (data === undefined || claims === undefined) {
        const reason = 'its data or claims are no JSON object that is taken here';
        return unit.lose('session_info', row, { reason, remedy: 'revoke the session in the old core; its user signs in again' });
      }
      unit.make(sessions, {
        app: place.app,
        tenant: place.tenant,
        handle: handle as SessionHandle,
        userId: wordIn(row, 'user_id'),
        refreshHash: wordIn(row, 'refresh_token_hash_2'),
        previousRefreshHash: textIn(row, 'prev_refresh_token_hash_2') ?? null,
        rotatedAt: numberIn(row, 'refresh_token_rotated_at') ?? null,
        data,
        claims,
        createdAt: numberIn(row, 'created_at_time') ?? 0,
        expiresAt,
        useStaticKey: flagIn(row, 'use_static_key'),
      });
    }
  },
  proof: {
    table: 'session_info',
    ofRow: (row) => PROVED.map((column) => String(row[column] ?? '')).join(' '),
    ofRecord: (record) => {
      const { handle, userId, refreshHash, previousRefreshHash, rotatedAt, createdAt, expiresAt, useStaticKey } = record as SessionRecord;
      return [[handle, userId, refreshHash, previousRefreshHash ?? '', rotatedAt ?? '', createdAt, expiresAt, useStaticKey].join(' ')];
    },
  },
};
