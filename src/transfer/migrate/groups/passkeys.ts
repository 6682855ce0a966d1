import { KEY_ALGORITHMS } from '../../../crypto/webauthn/cose-key.ts';
import { asInternal } from '../../../recipes/accounts/ids.ts';
import type { LoginMethodRecord } from '../../../recipes/accounts/records.ts';
import { isChoice } from '../../../recipes/webauthn/check-options.ts';
import { recoveryTokens, webauthnCredentials, webauthnOptions } from '../../../recipes/webauthn/records.ts';
import { parseJson } from '../../../json/free-form.ts';
import type { Row } from '../../../store/foreign-database.ts';
import { flagIn, numberIn, textIn, wordIn } from '../layout.ts';
import type { Part, TableGroup, Unit } from '../table-group.ts';

const CREDENTIALS = 'webauthn_credentials';
const RECOVERY = 'webauthn_account_recovery_tokens';
const OPTIONS = 'webauthn_generated_options';

/** The passkeys of users. */
export const PASSKEY_PART: Part = {
  table: CREDENTIALS,
  unit: ['app_id', 'user_id'],
  names: ['user_id', 'id'],
  columns: ['app_id', 'user_id', 'id', 'rp_id', 'counter', 'public_key', 'transports', 'created_at', 'updated_at'],
};

/** Lost passkeys that their owners are about to replace. */
export const RECOVERY_TOKENS: TableGroup = {
  name: 'account recovery tokens',
  parts: [
    {
      table: RECOVERY,
      unit: ['app_id', 'tenant_id', 'token'],
      columns: ['app_id', 'tenant_id', 'user_id', 'email', 'token', 'expires_at'],
    },
  ],
  collections: [recoveryTokens],
  convert: (unit) => {
    for (const row of unit.rows(RECOVERY)) {
      const place = unit.places.tenant(wordIn(row, 'app_id'), wordIn(row, 'tenant_id'));
      if (!place) return unit.leaveAll('unreachable');
      const expiresAt = numberIn(row, 'expires_at') ?? 0;
      if (expiresAt < unit.places.now) return unit.leaveAll('expired');
      unit.make(recoveryTokens, {
        app: place.app,
        tenant: place.tenant,
        tokenHash: wordIn(row, 'token'),
        userId: asInternal(wordIn(row, 'user_id')),
        email: wordIn(row, 'email'),
        expiresAt,
      });
    }
  },
};

/** What browsers were asked to answer, and have not answered yet. */
export const PASSKEY_OPTIONS: TableGroup = {
  name: 'passkey options',
  parts: [
    {
      table: OPTIONS,
      unit: ['app_id', 'tenant_id', 'id'],
      columns: [
        'app_id',
        'tenant_id',
        'id',
        'challenge',
        'email',
        'rp_id',
        'rp_name',
        'origin',
        'created_at',
        'expires_at',
        'user_presence_required',
        'user_verification',
      ],
    },
  ],
  collections: [webauthnOptions],
  convert: (unit) => {
    for (const row of unit.rows(OPTIONS)) {
      const place = unit.places.tenant(wordIn(row, 'app_id'), wordIn(row, 'tenant_id'));
      if (!place) return unit.leaveAll('unreachable');
      const expiresAt = numberIn(row, 'expires_at') ?? 0;
      if (expiresAt < unit.places.now) return unit.leaveAll('expired');
      const email = textIn(row, 'email') ?? null;
      const verification = wordIn(row, 'user_verification');
      unit.make(webauthnOptions, {
        app: place.app,
        tenant: place.tenant,
        id: wordIn(row, 'id'),
        challenge: wordIn(row, 'challenge'),
        email,
        relyingPartyId: wordIn(row, 'rp_id'),
        relyingPartyName: wordIn(row, 'rp_name'),
        origin: wordIn(row, 'origin'),
        createdAt: numberIn(row, 'created_at') ?? 0,
        expiresAt,
        // To the old core, whatever is not `required` asks for nothing.
        userVerification: isChoice('userVerification', verification) ? verification : 'preferred',
        isPresenceRequired: flagIn(row, 'user_presence_required'),
        // The old core does not remember which were asked for, and takes a key of any that it knows.
        algorithms: email === null ? [] : KEY_ALGORITHMS,
      });
    }
  },
};

/** Moves the passkeys of a login method; answers their ids, oldest first. */
export function keepPasskeys(unit: Unit, { app, id }: Pick<LoginMethodRecord, 'app' | 'id'>): readonly string[] {
  const oldestFirst = unit.rows(CREDENTIALS).toSorted((a, b) => (numberIn(a, 'created_at') ?? 0) - (numberIn(b, 'created_at') ?? 0));
  const ids: string[] = [];
  for (const row of oldestFirst) {
    const key = keyIn(row);
    if (!key) {
      const reason = 'its public key is not in the form in which cores keep them';
      unit.lose(CREDENTIALS, row, { reason, remedy: 'its owner adds a passkey anew, by account recovery' });
      continue;
    }
    ids.push(wordIn(row, 'id'));
    unit.make(webauthnCredentials, {
      app,
      relyingPartyId: wordIn(row, 'rp_id'),
      id: wordIn(row, 'id'),
      userId: id,
      ...key,
      counter: numberIn(row, 'counter') ?? 0,
      transports: transportsIn(wordIn(row, 'transports')),
      createdAt: numberIn(row, 'created_at') ?? 0,
      updatedAt: numberIn(row, 'updated_at') ?? 0,
      isBackupEligible: null,
      isBackedUp: null,
    });
  }
  return ids;
}

const AAGUID_BYTES = 16;
const LENGTH_BYTES = 2;

/** Attested credential data: model, length of the id, id, COSE key (contract 07 section 1). */
function keyIn(row: Row): { readonly publicKey: Uint8Array; readonly aaguid: string } | undefined {
  const bytes = row['public_key'];
  if (!Buffer.isBuffer(bytes) || bytes.length < AAGUID_BYTES + LENGTH_BYTES) return undefined;
  const keyAt = AAGUID_BYTES + LENGTH_BYTES + bytes.readUInt16BE(AAGUID_BYTES);
  if (keyAt >= bytes.length) return undefined;
  const hex = bytes.toString('hex', 0, AAGUID_BYTES);
  const aaguid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return { publicKey: Uint8Array.from(bytes.subarray(keyAt)), aaguid };
}

function transportsIn(text: string): readonly string[] {
  try {
    const tree = parseJson(text);
    return Array.isArray(tree) ? tree.filter((item): item is string => typeof item === 'string') : [];
  } catch {
    return [];
  }
}
