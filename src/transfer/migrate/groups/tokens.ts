import { asInternal } from '../../../recipes/accounts/ids.ts';
import { resetTokens } from '../../../recipes/email-password/records.ts';
import { verificationTokens } from '../../../recipes/email-verification/records.ts';
import { type Contact, devices } from '../../../recipes/passwordless/records.ts';
import { isLive } from '../../../recipes/passwordless/devices.ts';
import { numberIn, textIn, wordIn } from '../layout.ts';
import type { TableGroup } from '../table-group.ts';
import { appOf } from './user-data.ts';

const RESET_TOKENS_TABLE = 'emailpassword_pswd_reset_tokens';
const VERIFICATION_TOKENS_TABLE = 'emailverification_tokens';

export const RESET_TOKENS: TableGroup = {
  name: 'password reset tokens',
  parts: [
    {
      table: RESET_TOKENS_TABLE,
      unit: ['app_id', 'user_id', 'token'],
      columns: ['app_id', 'user_id', 'token', 'email', 'token_expiry'],
    },
  ],
  collections: [resetTokens],
  convert: (unit) => {
    const place = appOf(unit);
    if (!place) return;
    for (const row of unit.rows(RESET_TOKENS_TABLE)) {
      const expiresAt = numberIn(row, 'token_expiry') ?? 0;
      if (expiresAt < unit.places.now) return unit.leaveAll('expired');
      unit.make(resetTokens, {
        app: place.app,
        tokenHash: wordIn(row, 'token'),
        userId: asInternal(wordIn(row, 'user_id')),
        email: textIn(row, 'email') ?? null,
        expiresAt,
      });
    }
  },
};

export const VERIFICATION_TOKENS: TableGroup = {
  name: 'email verification tokens',
  parts: [
    {
      table: VERIFICATION_TOKENS_TABLE,
      unit: ['app_id', 'tenant_id', 'token'],
      columns: ['app_id', 'tenant_id', 'user_id', 'email', 'token', 'token_expiry'],
    },
  ],
  collections: [verificationTokens],
  convert: (unit) => {
    for (const row of unit.rows(VERIFICATION_TOKENS_TABLE)) {
      const place = unit.places.tenant(wordIn(row, 'app_id'), wordIn(row, 'tenant_id'));
      if (!place) return unit.leaveAll('unreachable');
      const expiresAt = numberIn(row, 'token_expiry') ?? 0;
      if (expiresAt < unit.places.now) return unit.leaveAll('expired');
      unit.make(verificationTokens, {
        app: place.app,
        tenant: place.tenant,
        tokenHash: wordIn(row, 'token'),
        userId: wordIn(row, 'user_id'),
        email: wordIn(row, 'email'),
        expiresAt,
      });
    }
  },
};

const DEVICES_TABLE = 'passwordless_devices';
const CODES_TABLE = 'passwordless_codes';

/** Passwordless devices with the codes that can still be used. */
export const CODES: TableGroup = {
  name: 'passwordless codes',
  parts: [
    {
      table: DEVICES_TABLE,
      unit: ['app_id', 'tenant_id', 'device_id_hash'],
      columns: ['app_id', 'tenant_id', 'device_id_hash', 'email', 'phone_number', 'link_code_salt', 'failed_attempts'],
    },
    {
      table: CODES_TABLE,
      unit: ['app_id', 'tenant_id', 'device_id_hash'],
      names: ['code_id'],
      columns: ['app_id', 'tenant_id', 'code_id', 'device_id_hash', 'link_code_hash', 'created_at'],
    },
  ],
  collections: [devices],
  convert: (unit) => {
    const [row] = unit.rows(DEVICES_TABLE);
    // Without its device nobody can use a code.
    if (!row) return unit.leaveAll('no device');
    const place = unit.places.tenant(wordIn(row, 'app_id'), wordIn(row, 'tenant_id'));
    if (!place) return unit.leaveAll('unreachable');
    const lifetime = place.config.passwordless_code_lifetime;
    const codes = unit.rows(CODES_TABLE).flatMap((each) => {
      const code = {
        id: wordIn(each, 'code_id'),
        linkCodeHash: wordIn(each, 'link_code_hash'),
        createdAt: numberIn(each, 'created_at') ?? 0,
      };
      if (isLive(code, unit.places.now, lifetime)) return [code];
      unit.leave(each, 'expired');
      return [];
    });
    const oldestFirst = codes.toSorted((a, b) => a.createdAt - b.createdAt);
    const newest = oldestFirst.at(-1);
    if (!newest) return unit.leaveAll('expired');
    const [email, phone] = [textIn(row, 'email'), wordIn(row, 'phone_number')];
    const contact: Contact = email === undefined ? ['phone', phone] : ['email', email];
    unit.make(devices, {
      app: place.app,
      tenant: place.tenant,
      deviceIdHash: wordIn(row, 'device_id_hash'),
      contact,
      linkCodeSalt: wordIn(row, 'link_code_salt'),
      failedAttempts: numberIn(row, 'failed_attempts') ?? 0,
      codes: oldestFirst,
      cleanAfter: newest.createdAt + lifetime,
    });
  },
};
