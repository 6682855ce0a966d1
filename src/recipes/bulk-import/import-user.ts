import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { markEmailVerified } from '../email-verification/lookups.ts';
import { Refusal } from '../refusal.ts';
import { devicesOf, putDevices } from '../totp/devices.ts';
import { type TotpDevice, withImportedDevices } from '../totp/import-device.ts';
import { mappingByExternalId } from '../accounts/mappings.ts';
import { addMapping } from '../accounts/write-mapping.ts';
import { type MetadataRecord, mergedMetadata, writeMetadata } from '../user-metadata/import-metadata.ts';
import { type GivenRole, giveRoles } from '../user-roles/give-roles.ts';
import { addNewUser, type NewUserObstacle, newUserObstacle } from '../accounts/add-user.ts';
import { isUserId } from '../accounts/find.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';
import { asExternal } from '../accounts/ids.ts';
import type { CredentialRecord } from '../webauthn/credentials.ts';
import { areCredentialsTaken, importedCredentials, keepCredentials } from '../webauthn/transfer-credentials.ts';
import { externalIdsOf, type ImportedMethod, type ImportedUser, type ImportRecipe, mainMethodOf } from './imported-user.ts';
import type { ImportTargets } from './import-targets.ts';

/** What an imported user is known by besides its login methods: the external id, or that of its main login method. */
interface Owner {
  readonly app: AppNumber;
  readonly userId: string;
}

/** What will be kept under the owner. */
interface OwnData {
  readonly metadata: MetadataRecord | undefined;
  readonly devices: readonly TotpDevice[] | undefined;
  readonly roles: readonly GivenRole[];
}

type Planned<T> = T | { readonly error: string };

/**
 * Imports one user, with passwords hashed (`preparePasswords`), in the caller's transaction (contract 05 section 6.9).
 * Answers its error, `E0xx: …` (section 6.10); then nothing of it was written, and others can be imported there.
 */
export function importUser(tx: Transaction, targets: ImportTargets, user: ImportedUser): MaybePromise<string | undefined> {
  const { app } = targets;
  const main = mainMethodOf(user.loginMethods);
  const owner = { app, userId: user.externalUserId ?? main.superTokensUserId };
  const methods = recordsOf(targets, user);
  if ('error' in methods) return methods.error;
  const passkeys = passkeysOf(user, methods);
  const found = allReady([
    newUserObstacle(tx, methods),
    areCredentialsTaken(tx, passkeys),
    idError(tx, app, user),
    planData(tx, targets, user, owner),
  ]);
  return whenReady(found, ([obstacle, areTaken, wrongId, data]) => {
    if (obstacle) return obstacleText(obstacle);
    if (areTaken) return 'E072: a passkey of the user is registered already';
    if (wrongId !== undefined) return wrongId;
    if ('error' in data) return data.error;
    // Nothing depends on another of these, and whatever still has to be read is read in one round.
    const kept = allReady([
      addNewUser(tx, methods),
      keepCredentials(tx, passkeys),
      keepMappings(tx, user, app),
      keepVerifiedEmails(tx, user, app),
      keepData(tx, owner, data),
    ]);
    return whenReady(kept, () => undefined);
  });
}

/** The code for a tenant that is not there. */
const UNKNOWN_TENANT: Readonly<Record<ImportRecipe, string>> = {
  emailpassword: 'E002',
  thirdparty: 'E004',
  passwordless: 'E008',
  webauthn: 'E070',
};

/** After the primary one, login methods are added in this order (contract 05 section 6.9 item 2). */
const ORDER: readonly ImportRecipe[] = ['emailpassword', 'thirdparty', 'passwordless', 'webauthn'];

const placeOf = ({ isPrimary, recipeId }: ImportedMethod): number => (isPrimary ? -1 : ORDER.indexOf(recipeId));

function recordsOf(
  { app, tenants: numbers }: ImportTargets,
  { loginMethods, isDisabled = false }: ImportedUser,
): Planned<LoginMethodRecord[]> {
  const records: LoginMethodRecord[] = [];
  const primary = loginMethods.find((method) => method.isPrimary);
  for (const method of loginMethods.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const tenants = method.tenantIds.flatMap((id) => numbers.get(id) ?? []);
    if (tenants.length < method.tenantIds.length)
      return { error: `${UNKNOWN_TENANT[method.recipeId]}: a tenant of the login method does not exist` };
    const id = method.superTokensUserId;
    records.push({
      app,
      id,
      recipe: method.recipeId,
      primaryUserId: primary?.superTokensUserId ?? id,
      isPrimary: primary !== undefined,
      timeJoined: method.timeJoinedInMSSinceEpoch,
      tenants,
      email: method.email ?? null,
      phoneNumber: method.phoneNumber ?? null,
      thirdPartyId: method.thirdPartyId ?? null,
      thirdPartyUserId: method.thirdPartyUserId ?? null,
      passwordHash: method.passwordHash ?? null,
      isDisabled: isDisabled || undefined,
      credentialIds: method.credentials?.map((credential) => credential.id),
    });
  }
  return records;
}

/** The passkeys of all login methods that are about to be added. */
function passkeysOf({ loginMethods }: ImportedUser, methods: readonly LoginMethodRecord[]): readonly CredentialRecord[] {
  const given = new Map(loginMethods.map(({ superTokensUserId, credentials = [] }) => [superTokensUserId, credentials]));
  return methods.flatMap((method) => importedCredentials(method, given.get(method.id) ?? []));
}

function obstacleText(obstacle: NewUserObstacle): string {
  if (obstacle.kind === 'reserved') return 'E027: there is a conflicting account info';
  const { recipe, email, phoneNumber, thirdPartyId, thirdPartyUserId } = obstacle.method;
  if (recipe === 'thirdparty')
    return `E005: A user with thirdPartyId ${thirdPartyId} and thirdPartyUserId ${thirdPartyUserId} already exists in thirdparty loginMethod.`;
  if (recipe === 'emailpassword') return `E003: A user with email ${email} already exists in emailpassword loginMethod.`;
  if (recipe === 'webauthn') return `E071: A user with email ${email} already exists in webauthn loginMethod.`;
  return email === null
    ? `E007: A user with phoneNumber ${phoneNumber} already exists in passwordless loginMethod.`
    : `E006: A user with email ${email} already exists in passwordless loginMethod.`;
}

/**
 * What stands against the ids of a user. Those of its login methods were told when it was put into the queue, so one of
 * them may have become an external id meanwhile: two users would answer to it.
 */
function idError(reader: Reader, app: AppNumber, user: ImportedUser): MaybePromise<string | undefined> {
  const external = [...externalIdsOf(user).values()].map(({ id }) => id);
  const wanted = [...external, ...user.loginMethods.map(({ superTokensUserId }) => superTokensUserId)];
  const found = allReady([
    allReady(external.map((id) => isUserId(reader, app, id))),
    reader.getMany(wanted.map((id) => mappingByExternalId(app, asExternal(id)))),
  ]);
  return whenReady(found, ([areInternal, mappings]) => {
    if (areInternal.includes(true)) return 'E030: the externalUserId is the internal id of another user';
    const taken = wanted.find((_, at) => mappings[at] !== undefined);
    return taken === undefined ? undefined : `E031: A user with externalId ${taken} already exists`;
  });
}

/** A fresh internal id has no data yet; an external one may have, which stays (contract 05 section 6.9 item 5). */
function planData(tx: Transaction, targets: ImportTargets, user: ImportedUser, owner: Owner): MaybePromise<Planned<OwnData>> {
  const { userMetadata, totpDevices, userRoles = [] } = user;
  const roles = rolesOf(targets, userRoles);
  if ('error' in roles) return roles;
  const kept = allReady([
    userMetadata === undefined ? undefined : mergedMetadata(tx, owner, userMetadata),
    totpDevices && devicesOf(tx, owner),
  ]);
  return whenReady(kept, ([metadata, stored]): Planned<OwnData> => {
    if (userMetadata !== undefined && !metadata) return { error: 'E040: the metadata of the user would grow too large' };
    const devices = totpDevices && planDevices(stored ?? [], totpDevices, targets.now);
    if (devices && 'error' in devices) return devices;
    return { metadata, devices, roles };
  });
}

function rolesOf({ tenants, roles }: ImportTargets, given: NonNullable<ImportedUser['userRoles']>): Planned<GivenRole[]> {
  const found: GivenRole[] = [];
  for (const { role, tenantIds } of given) {
    const roleId = roles.get(role);
    if (roleId === undefined)
      return { error: 'E034: Role does not exist! You need to pre-create the role before assigning it to the user.' };
    for (const id of tenantIds) {
      const tenant = tenants.get(id);
      if (tenant === undefined) return { error: 'E033: a tenant of a user role does not exist' };
      found.push({ tenant, role, roleId });
    }
  }
  return found;
}

function planDevices(
  stored: readonly TotpDevice[],
  imported: NonNullable<ImportedUser['totpDevices']>,
  now: number,
): Planned<readonly TotpDevice[]> {
  try {
    return withImportedDevices(stored, imported, now);
  } catch (error) {
    if (error instanceof Refusal) return { error: 'E036: the user would have too many TOTP devices' };
    throw error;
  }
}

function keepMappings(tx: Transaction, user: ImportedUser, app: AppNumber): MaybePromise<unknown> {
  const mapped = [...externalIdsOf(user)].map(([{ superTokensUserId }, { id, info }]) =>
    addMapping(tx, { app, superTokensUserId, externalUserId: asExternal(id), externalUserIdInfo: info }),
  );
  return allReady(mapped);
}

/** Under the external id where the method has one, since that is where they are looked for (contract 00). */
function keepVerifiedEmails(tx: Transaction, user: ImportedUser, app: AppNumber): MaybePromise<unknown> {
  const externalIds = externalIdsOf(user);
  return allReady(
    user.loginMethods.map((method) => {
      if (!method.isVerified || method.email === undefined) return undefined;
      return markEmailVerified(tx, app, externalIds.get(method)?.id ?? method.superTokensUserId, method.email);
    }),
  );
}

function keepData(tx: Transaction, owner: Owner, { metadata, devices, roles }: OwnData): MaybePromise<unknown> {
  return allReady([
    metadata && writeMetadata(tx, metadata),
    devices && devices.length > 0 && putDevices(tx, owner, devices),
    giveRoles(tx, owner.app, owner.userId, roles),
  ]);
}
