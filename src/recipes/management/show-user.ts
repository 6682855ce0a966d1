import type { Commands } from '../../generated/commands.ts';
import { allReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import { isUserDisabled } from '../accounts/disable.ts';
import { externalIds } from '../accounts/find.ts';
import { allIdsOfUser } from '../accounts/identity.ts';
import { type LoginMethodRecord, membersOf } from '../accounts/login-methods.ts';
import { lastActiveOf } from '../active-users/last-active.ts';
import type { Context } from '../context.ts';
import { lockedTenants } from '../email-password/sign-in-failures.ts';
import { countSessions } from '../session/session-summaries.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { devicesOf } from '../totp/devices.ts';
import { isTotpPaused } from '../totp/forget-failures.ts';
import { isMetadataUsed } from '../user-metadata/remove-metadata.ts';
import { rolesInAllTenants } from '../user-roles/roles-of-user.ts';
import { findUser, type User } from '../users/user.ts';
import { credentialsOf } from '../webauthn/credentials.ts';
import { UNKNOWN_USER, type UnknownUser } from './unknown-user.ts';

/** Everything that operators ask about a user first. Nothing secret is in it. */
export interface ShownUser {
  readonly status: 'OK';
  readonly user: User;
  readonly isDisabled: boolean;
  /** Ids of the tenants in which sign-ins by password, or TOTP codes, are not looked at after too many failures. */
  readonly locked: { readonly signIn: readonly string[]; readonly totp: readonly string[] };
  readonly roles: readonly { readonly tenantId: string; readonly roles: readonly string[] }[];
  readonly hasMetadata: boolean;
  readonly totpDevices: readonly { readonly name: string; readonly verified: boolean }[];
  readonly passkeys: readonly ShownPasskey[];
  /** Sessions that are kept, with those that have expired and wait for the clean-up. */
  readonly sessionCount: number;
  /** ms since the epoch. */
  readonly lastActive: number | null;
}

/** A passkey, without its key. Times are ms since the epoch. */
export interface ShownPasskey {
  readonly recipeUserId: string;
  readonly id: string;
  readonly relyingPartyId: string;
  /** The model of the authenticator, a UUID. */
  readonly aaguid: string;
  /** As last presented; 0 where the authenticator does not count. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Whether it may be, and was when last used, kept in several places; `null` where that was never told. */
  readonly isBackupEligible: boolean | null;
  readonly isBackedUp: boolean | null;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

/** What is read of a user. */
interface Subject {
  readonly app: AppNumber;
  readonly user: User;
  readonly methods: readonly LoginMethodRecord[];
  /** All ids, internal and external, under which recipes may keep something of the user. */
  readonly ids: readonly string[];
}

/** `GET /manage/v1/user` */
export async function showUser(context: Context, { userId }: Commands['management/show-user']): Promise<UnknownUser | ShownUser> {
  const { store, directory, tenant } = context;
  const { app } = tenant;
  const found = await store.read(async (reader) => {
    const user = await findUser(reader, directory, tenant, userId);
    if (!user) return undefined;
    const { internalId } = user;
    const [methods, ids] = await Promise.all([membersOf(reader, app, internalId), allIdsOfUser(reader, app, internalId)]);
    const subject: Subject = { app, user, methods, ids };
    const [isDisabled, kept, passkeys, lastActive] = await Promise.all([
      isUserDisabled(reader, app, internalId),
      keptOf(reader, directory, subject),
      passkeysOf(reader, methods),
      lastActiveOf(reader, app, internalId),
    ]);
    return { subject, shown: { status: 'OK', user, isDisabled, ...kept, passkeys, lastActive: lastActive ?? null } as const };
  });
  return found ? { ...found.shown, locked: await locksOf(context, found.subject) } : UNKNOWN_USER;
}

/** What recipes keep under the ids of a user. */
async function keptOf(
  reader: Reader,
  directory: TenantDirectory,
  { app, ids }: Subject,
): Promise<Pick<ShownUser, 'roles' | 'hasMetadata' | 'totpDevices' | 'sessionCount'>> {
  const [roles, haveMetadata, devices, sessionCount] = await Promise.all([
    rolesByTenant(reader, directory, app, ids),
    Promise.all(ids.map((id) => isMetadataUsed(reader, app, id))),
    allReady(ids.map((userId) => devicesOf(reader, { app, userId }))),
    countSessions(reader, app, ids),
  ]);
  const totpDevices = devices.flat().map(({ name, verified }) => ({ name, verified }));
  return { roles, hasMetadata: haveMetadata.includes(true), totpDevices, sessionCount };
}

async function passkeysOf(reader: Reader, methods: readonly LoginMethodRecord[]): Promise<ShownPasskey[]> {
  const withPasskeys = methods.filter(({ recipe }) => recipe === 'webauthn');
  const [first] = withPasskeys;
  if (!first) return [];
  const ids = withPasskeys.map(({ id }) => id);
  const [external, all] = await Promise.all([
    externalIds(reader, first.app, ids),
    Promise.all(ids.map((id) => credentialsOf(reader, first.app, id))),
  ]);
  return all.flat().map((passkey) => ({
    recipeUserId: external.get(passkey.userId) ?? passkey.userId,
    id: passkey.id,
    relyingPartyId: passkey.relyingPartyId,
    aaguid: passkey.aaguid,
    counter: passkey.counter,
    transports: passkey.transports,
    isBackupEligible: passkey.isBackupEligible,
    isBackedUp: passkey.isBackedUp,
    createdAt: passkey.createdAt,
    lastUsedAt: passkey.updatedAt,
  }));
}

async function rolesByTenant(
  reader: Reader,
  directory: TenantDirectory,
  app: AppNumber,
  ids: readonly string[],
): Promise<ShownUser['roles']> {
  const byTenant = new Map<string, Set<string>>();
  for (const id of ids) {
    for await (const page of rolesInAllTenants(reader, app, id)) {
      for (const { tenant, role } of page) {
        const tenantId = await directory.tenantIdOf(reader, app, tenant);
        if (tenantId !== undefined) byTenant.set(tenantId, (byTenant.get(tenantId) ?? new Set()).add(role));
      }
    }
  }
  return [...byTenant].map(([tenantId, roles]) => ({ tenantId, roles: [...roles] }));
}

async function locksOf(context: Context, { app, user, methods, ids }: Subject): Promise<ShownUser['locked']> {
  const { store, directory, address, now } = context;
  const withPassword = methods.filter(({ recipe }) => recipe === 'emailpassword');
  const signIn = await Promise.all(withPassword.map((method) => lockedTenants(context, method)));
  const totp: string[] = [];
  for (const tenantId of new Set(user.loginMethods.flatMap((method) => method.tenantIds))) {
    const tenant = await directory.find({ ...address, tenantId });
    if (!tenant) continue;
    const paused = await store.read((reader) =>
      Promise.all(ids.map((userId) => isTotpPaused(reader, { app, userId }, tenant.config, now()))),
    );
    if (paused.includes(true)) totp.push(tenantId);
  }
  return { signIn: [...new Set(signIn.flat())], totp };
}
