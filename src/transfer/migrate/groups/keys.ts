import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { publicKeyFromSpki } from '../../../crypto/rs256.ts';
import type { KeyValueName } from '../../../recipes/key-value/key-values.ts';
import { keyValues } from '../../../recipes/key-value/records.ts';
import { samlSpCredentials } from '../../../recipes/saml/records.ts';
import { signingKeys } from '../../../recipes/signing-keys/records.ts';
import type { Row } from '../../../store/foreign-database.ts';
import { numberIn, textIn, wordIn } from '../layout.ts';
import type { AppPlace, TableGroup, Unit } from '../table-group.ts';
import { homeOf, uuidFor } from './user-data.ts';

const VALUES = 'key_value';
const DYNAMIC = 'session_access_token_signing_keys';
const STATIC = 'jwt_signing_keys';

const isKept = (name: string): name is KeyValueName =>
  name === 'refresh_token_key' || name === 'LICENSE_KEY' || name === 'websiteDomain' || name === 'apiDomain';

/** The keys of apps: what signs and verifies tokens, from the first second on (contract 09 section 3). */
export const KEYS: TableGroup = {
  name: 'keys',
  parts: [
    { table: VALUES, unit: ['app_id'], names: ['name'], columns: ['app_id', 'tenant_id', 'name', 'value', 'created_at_time'] },
    { table: DYNAMIC, unit: ['app_id'], names: ['created_at_time'], columns: ['app_id', 'created_at_time', 'value'] },
    { table: STATIC, unit: ['app_id'], names: ['key_id'], columns: ['app_id', 'key_id', 'key_string', 'created_at'] },
  ],
  collections: [keyValues, signingKeys, samlSpCredentials],
  convert: (unit) => {
    const place = homeOf(unit);
    if (!place) return;
    for (const row of unit.rows(VALUES)) keepValue(unit, place, row);
    for (const row of unit.rows(DYNAMIC)) {
      const createdAt = numberIn(row, 'created_at_time') ?? 0;
      keepKey(unit, place, { table: DYNAMIC, row, value: wordIn(row, 'value'), kid: `d-${createdAt}`, createdAt });
    }
    for (const row of unit.rows(STATIC)) {
      const createdAt = numberIn(row, 'created_at') ?? 0;
      keepKey(unit, place, { table: STATIC, row, value: wordIn(row, 'key_string'), kid: wordIn(row, 'key_id'), createdAt });
    }
    keepSamlKey(unit, place);
  },
};

function keepValue(unit: Unit, { app, config }: AppPlace, row: Row): void {
  const [name, value] = [wordIn(row, 'name'), textIn(row, 'value')];
  if (name.startsWith('saml_')) return;
  const createdAt = numberIn(row, 'created_at_time') ?? 0;
  if (name === 'access_token_signing_key' && value !== undefined) {
    const kid = config.access_token_signing_key_dynamic ? `d-${createdAt}` : `s-${uuidFor(value)}`;
    keepKey(unit, { app }, { table: VALUES, row, value, kid, createdAt });
  } else if (!isKept(name) || value === undefined || value === 'NOT_PRESENT') unit.leave(row, 'without meaning here');
  else unit.make(keyValues, { app, name, value, createdAt });
}

/** The tables that hold signing keys, with the columns of the key and of its time. */
export const KEY_TABLES: readonly { readonly table: string; readonly value: string; readonly createdAt: string; readonly where: string }[] =
  [
    { table: DYNAMIC, value: 'value', createdAt: 'created_at_time', where: 'true' },
    { table: STATIC, value: 'key_string', createdAt: 'created_at', where: 'true' },
    { table: VALUES, value: 'value', createdAt: 'created_at_time', where: "name = 'access_token_signing_key'" },
  ];

interface FoundKey {
  readonly table: string;
  readonly row: Row;
  readonly value: string;
  readonly kid: string;
  readonly createdAt: number;
}

/** Old cores put another character between the halves of a key. */
const HALVES = /^([^|;]+)[|;]([^|;]+)$/;

/** Both halves of a signing key, base64 of DER; undefined for what is no such pair. */
export function pairIn(value: string): { readonly publicKey: string; readonly privateKey: string } | undefined {
  const [, publicKey = '', privateKey = ''] = HALVES.exec(value) ?? [];
  try {
    const secret = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    const isPair = createPublicKey(secret).equals(publicKeyFromSpki(publicKey));
    return isPair && secret.asymmetricKeyType === 'rsa' ? { publicKey, privateKey } : undefined;
  } catch {
    return undefined;
  }
}

function keepKey(unit: Unit, { app }: Pick<AppPlace, 'app'>, { table, row, value, kid, createdAt }: FoundKey): void {
  const pair = pairIn(value);
  if (pair) unit.make(signingKeys, { app, kid, ...pair, createdAt });
  else {
    const reason = `the value of the key ${kid} is no pair of RSA keys`;
    unit.lose(table, row, { reason, remedy: 'delete it in the old database if no token is signed with it' });
  }
}

/** Key and certificate together or not at all; all tenants of the app have had the same ones. */
function keepSamlKey(unit: Unit, { app, tenants }: AppPlace): void {
  const rows = unit.rows(VALUES).filter((row) => wordIn(row, 'name').startsWith('saml_'));
  const valueOf = (name: string): string | undefined => textIn(rows.find((row) => row['name'] === name) ?? {}, 'value');
  const [privateKey] = valueOf('saml_key_pair')?.split('\n') ?? [];
  const certificate = valueOf('saml_certificate');
  const notAfter = certificate === undefined ? undefined : endOf(certificate);
  if (privateKey === undefined || certificate === undefined || notAfter === undefined) {
    for (const row of rows) unit.leave(row, 'without meaning here');
    return;
  }
  for (const tenant of tenants) unit.make(samlSpCredentials, { app, tenant, credentials: [{ privateKey, certificate, notAfter }] });
}

/** When a certificate ends, ms since the epoch; undefined for what is none. */
function endOf(certificate: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
  } catch {
    return undefined;
  }
}
