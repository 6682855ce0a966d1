import { hashFamily, type HashFamily } from '../../crypto/password-hashes.ts';
import type { JsonText } from '../../json/free-form.ts';
import { areDisabled } from '../accounts/disable.ts';
import type { UserIdMapping } from '../accounts/mappings.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import type { Exported, Origin, UserData, UserDataLoss } from '../user-data.ts';
import type { Reader } from '../../store/store.ts';
import type { Services } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';
import { exportCredentials } from '../webauthn/transfer-credentials.ts';
import type { WholeUser } from '../users/read-users.ts';

/** What an export leaves out, and how it is told. */
export const LOSSES = {
  'no-tenant': 'login methods are in no tenant',
  'no-hash': 'login methods have no password hash of a known kind',
  'no-method': 'users have no login method left that could be imported',
  'unverified-device': 'TOTP devices are not verified yet',
  'role-elsewhere': 'roles are given in tenants that the user is not in',
  'second-mapping': 'external ids belong to login methods that take over the id of their user',
  'hidden-data': 'users have roles, metadata or TOTP devices under an id by which they are not known',
} as const satisfies Record<UserDataLoss, string> & Record<string, string>;

export type Loss = keyof typeof LOSSES;

/** The id by which callers know a user. */
function visibleIdOf({ record, mappings }: Pick<WholeUser, 'record' | 'mappings'>): string {
  return mappings.get(record.id)?.externalUserId ?? record.id;
}

const ALGORITHMS: Readonly<Record<HashFamily, string>> = {
  argon2: 'argon2',
  bcrypt: 'bcrypt',
  firebase: 'firebase_scrypt',
  scrypt: 'scrypt',
  pbkdf2: 'pbkdf2',
  shaCrypt: 'sha_crypt',
  md5Crypt: 'md5_crypt',
  saltedSha: 'salted_sha',
  hmac: 'hmac',
};

/** Where users are exported from. */
export interface ExportedApp extends Pick<Services, 'directory' | 'userData'> {
  /** The app's public tenant, or any other. */
  readonly tenant: Tenant;
}

interface ExportedMethod {
  readonly tenantIds: readonly string[];
  readonly [name: string]: unknown;
}

/**
 * A line of an export (contract 05 section 6.2), without its line feed; undefined where nothing of the user can be
 * imported. Every user gets an external id, and so the same id wherever it is imported.
 * @param onLoss told of everything that is left out
 */
export async function lineOf(
  reader: Reader,
  app: ExportedApp,
  user: WholeUser,
  onLoss: (loss: Loss) => void,
): Promise<JsonText | undefined> {
  const main = mainOf(user);
  const methods: ExportedMethod[] = [];
  for (const method of user.methods.toSorted(byAge)) {
    const exported = await exportMethod(reader, user, method, method === main, app.directory, onLoss);
    if (exported) methods.push(exported);
  }
  if (methods.length === 0) {
    onLoss('no-method');
    return undefined;
  }
  const { tenant, directory, userData } = app;
  const origin = { tenant, directory, tenantIds: new Set(['public', ...methods.flatMap(({ tenantIds }) => tenantIds)]) };
  const userId = visibleIdOf(user);
  const data = await exportData(reader, origin, userData, [userId]);
  for (const loss of data.flatMap(({ losses }) => losses)) onLoss(loss);
  const others = [user.record.id, ...user.methods.flatMap(({ id }) => [id, user.mappings.get(id)?.externalUserId ?? id])];
  const hidden = await exportData(reader, origin, userData, new Set(others.filter((id) => id !== userId)));
  if (hidden.length > 0) onLoss('hidden-data');
  const members = data.flatMap((exported) => Object.entries(exported.members));
  const marks = areDisabled(user.methods) ? [['isDisabled', 'true']] : [];
  const ids = { externalUserId: userId, ...mappingFields(user.mappings.get(user.record.id)) };
  const named = Object.entries(ids).map(([name, value]) => [name, JSON.stringify(value)]);
  const texts = [...named, ...members, ...marks, ['loginMethods', JSON.stringify(methods)]];
  return `{${texts.map(([name, text]) => `"${name}":${text}`).join(',')}}` as JsonText;
}

/** The oldest first; of one age in an order that does not rest on internal ids, which an import may make anew. */
function byAge(a: LoginMethodRecord, b: LoginMethodRecord): number {
  return a.timeJoined - b.timeJoined || (identityOf(a) < identityOf(b) ? -1 : 1);
}

const identityOf = ({ recipe, email, phoneNumber, thirdPartyId, thirdPartyUserId }: LoginMethodRecord): string =>
  JSON.stringify([recipe, email, phoneNumber, thirdPartyId, thirdPartyUserId]);

/** An external id, and what is kept beside it. */
function mappingFields(mapping: UserIdMapping | undefined): Readonly<Record<string, string>> {
  if (!mapping) return {};
  const { externalUserId, externalUserIdInfo: info } = mapping;
  return { externalUserId, ...(info !== null && { externalUserIdInfo: info }) };
}

/** What the recipes keep under some ids. */
async function exportData(
  reader: Reader,
  origin: Origin,
  userData: readonly UserData[],
  userIds: Iterable<string>,
): Promise<readonly Exported[]> {
  const exporters = userData.flatMap(({ byId }) => byId?.export ?? []);
  const found = await Promise.all([...userIds].flatMap((id) => exporters.map((exporter) => exporter(reader, origin, id))));
  return found.filter((exported) => exported !== undefined);
}

/** The login method that is to have the user's id: its own, or where that is gone, the oldest. */
function mainOf({ record, methods }: WholeUser): LoginMethodRecord | undefined {
  const oldest = methods.toSorted((a, b) => a.timeJoined - b.timeJoined)[0];
  return methods.find(({ id }) => id === record.id) ?? oldest;
}

async function exportMethod(
  reader: Reader,
  { record, mappings, verified }: WholeUser,
  method: LoginMethodRecord,
  isMain: boolean,
  directory: TenantDirectory,
  onLoss: (loss: Loss) => void,
): Promise<ExportedMethod | undefined> {
  const found = await Promise.all(method.tenants.map((tenant) => directory.tenantIdOf(reader, method.app, tenant)));
  const tenantIds = found.filter((id) => id !== undefined);
  const details = method.recipe === 'webauthn' ? await passkeysOf(reader, method) : detailsOf(method);
  const loss = tenantIds.length === 0 ? 'no-tenant' : typeof details === 'string' ? details : undefined;
  if (loss) onLoss(loss);
  if (loss || typeof details === 'string') return undefined;
  const mapping = method.id === record.id ? undefined : mappings.get(method.id);
  if (isMain && mapping) onLoss('second-mapping');
  return {
    recipeId: method.recipe,
    tenantIds,
    isVerified: method.email === null || verified.has(method.id),
    isPrimary: isMain && record.isPrimary,
    timeJoinedInMSSinceEpoch: method.timeJoined,
    ...details,
    ...(!isMain && mapping && mappingFields(mapping)),
    superTokensUserId: method.id,
  };
}

async function passkeysOf(reader: Reader, method: LoginMethodRecord): Promise<Details> {
  return { email: method.email ?? '', credentials: await exportCredentials(reader, method) };
}

type Details = Readonly<Record<string, unknown>>;

/** What is particular to the recipe of a login method, or why it cannot be carried. */
function detailsOf(method: LoginMethodRecord): Details | Loss {
  const { recipe, email, phoneNumber, thirdPartyId, thirdPartyUserId, passwordHash } = method;
  if (recipe === 'thirdparty') return { email: email ?? '', thirdPartyId: thirdPartyId ?? '', thirdPartyUserId: thirdPartyUserId ?? '' };
  if (recipe === 'passwordless') return { ...(email !== null && { email }), ...(phoneNumber !== null && { phoneNumber }) };
  const family = passwordHash === null ? undefined : hashFamily(passwordHash);
  if (passwordHash === null || !family) return 'no-hash';
  return { email: email ?? '', passwordHash, hashingAlgorithm: ALGORITHMS[family] };
}
