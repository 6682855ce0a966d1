import { hashFamily, type HashFamily } from '../crypto/password-hashes.ts';
import type { JsonText } from '../json/free-form.ts';
import type { ImportedRole } from '../recipes/bulk-import/imported-user.ts';
import type { TenantDirectory } from '../recipes/tenants/directory.ts';
import type { TotpDevice } from '../recipes/totp/records.ts';
import type { LoginMethodRecord, UserRecord } from '../recipes/accounts/records.ts';

/** All that is kept about one user. */
export interface WholeUser {
  readonly record: UserRecord;
  readonly methods: readonly LoginMethodRecord[];
  /** External ids of login methods and of the user, by internal ids. */
  readonly externalIds: ReadonlyMap<string, string>;
  /** Ids of login methods whose email is verified. */
  readonly verified: ReadonlySet<string>;
  readonly metadata: JsonText | undefined;
  readonly devices: readonly TotpDevice[];
  readonly roles: readonly ImportedRole[];
  /** True where roles, metadata or TOTP devices are kept under ids of the user by which it is not known. */
  readonly hasHiddenData: boolean;
}

/** What an export leaves out, and how it is told. */
export const LOSSES = {
  'no-tenant': 'login methods are in no tenant',
  webauthn: 'passkeys cannot be imported',
  'no-hash': 'login methods have no password hash of a known kind',
  'no-method': 'users have no login method left that could be imported',
  'unverified-device': 'TOTP devices are not verified yet',
  'role-elsewhere': 'roles are given in tenants that the user is not in',
  'second-mapping': 'external ids belong to login methods that are not the first of their user',
  'hidden-data': 'users have roles, metadata or TOTP devices under an id by which they are not known',
} as const;

export type Loss = keyof typeof LOSSES;

/** The id by which callers know a user. */
export function visibleIdOf({ record, externalIds }: Pick<WholeUser, 'record' | 'externalIds'>): string {
  return externalIds.get(record.id) ?? record.id;
}

const ALGORITHMS: Readonly<Record<HashFamily, string>> = { argon2: 'argon2', bcrypt: 'bcrypt', firebase: 'firebase_scrypt' };

interface ExportedMethod {
  readonly tenantIds: readonly string[];
  readonly [name: string]: unknown;
}

/**
 * A line of an export (contract 05 section 6.2), without its line feed; undefined where nothing of the user can be imported.
 * The external id is given to every user, so that it is known by the same id wherever it is imported.
 * @param onLoss told of everything that is left out
 */
export async function lineOf(user: WholeUser, directory: TenantDirectory, onLoss: (loss: Loss) => void): Promise<string | undefined> {
  const main = mainOf(user);
  const methods: ExportedMethod[] = [];
  for (const method of user.methods) {
    const exported = await exportMethod(user, method, method === main, directory, onLoss);
    if (exported) methods.push(exported);
  }
  if (methods.length === 0) {
    onLoss('no-method');
    return undefined;
  }
  if (user.hasHiddenData) onLoss('hidden-data');
  const devices = user.devices.filter(({ verified }) => verified || onLoss('unverified-device'));
  const roles = rolesIn(user, new Set(['public', ...methods.flatMap(({ tenantIds }) => tenantIds)]), onLoss);
  const { metadata } = user;
  const members = {
    externalUserId: visibleIdOf(user),
    ...(roles.length > 0 && { userRoles: roles }),
    ...(devices.length > 0 && {
      totpDevices: devices.map(({ name, secret, period, skew }) => ({ secretKey: secret, period, skew, deviceName: name })),
    }),
    loginMethods: methods,
  };
  const text = JSON.stringify(members);
  // As text, since not every number in it survives being read.
  return metadata === undefined ? text : `${text.slice(0, -1)},"userMetadata":${metadata}}`;
}

/** The login method that is to have the user's id: its own, or where that is gone, the oldest. */
function mainOf({ record, methods }: WholeUser): LoginMethodRecord | undefined {
  const oldest = methods.toSorted((a, b) => a.timeJoined - b.timeJoined)[0];
  return methods.find(({ id }) => id === record.id) ?? oldest;
}

async function exportMethod(
  { record, externalIds, verified }: WholeUser,
  method: LoginMethodRecord,
  isMain: boolean,
  directory: TenantDirectory,
  onLoss: (loss: Loss) => void,
): Promise<ExportedMethod | undefined> {
  const found = await Promise.all(method.tenants.map((tenant) => directory.tenantIdOf(method.app, tenant)));
  const tenantIds = found.filter((id) => id !== undefined);
  const details = detailsOf(method);
  const loss = tenantIds.length === 0 ? 'no-tenant' : typeof details === 'string' ? details : undefined;
  if (loss) onLoss(loss);
  if (loss || typeof details === 'string') return undefined;
  if (!isMain && externalIds.has(method.id)) onLoss('second-mapping');
  return {
    recipeId: method.recipe,
    tenantIds,
    isVerified: method.email === null || verified.has(method.id),
    isPrimary: isMain && record.isPrimary,
    timeJoinedInMSSinceEpoch: method.timeJoined,
    ...details,
    superTokensUserId: method.id,
  };
}

/** What is particular to the recipe of a login method, or why it cannot be carried. */
function detailsOf(method: LoginMethodRecord): Readonly<Record<string, string>> | Loss {
  const { recipe, email, phoneNumber, thirdPartyId, thirdPartyUserId, passwordHash } = method;
  if (recipe === 'webauthn') return 'webauthn';
  if (recipe === 'thirdparty') return { email: email ?? '', thirdPartyId: thirdPartyId ?? '', thirdPartyUserId: thirdPartyUserId ?? '' };
  if (recipe === 'passwordless') return { ...(email !== null && { email }), ...(phoneNumber !== null && { phoneNumber }) };
  const family = passwordHash === null ? undefined : hashFamily(passwordHash);
  if (passwordHash === null || !family) return 'no-hash';
  return { email: email ?? '', passwordHash, hashingAlgorithm: ALGORITHMS[family] };
}

function rolesIn({ roles }: WholeUser, tenants: ReadonlySet<string>, onLoss: (loss: Loss) => void): ImportedRole[] {
  return roles.flatMap(({ role, tenantIds }) => {
    const inside = tenantIds.filter((id) => tenants.has(id) || onLoss('role-elsewhere'));
    return inside.length === 0 ? [] : [{ role, tenantIds: inside }];
  });
}
