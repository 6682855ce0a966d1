import type { LastActiveRecord } from '../../../src/recipes/active-users/records.ts';
import type { ResetTokenRecord } from '../../../src/recipes/email-password/records.ts';
import type { VerifiedEmailRecord } from '../../../src/recipes/email-verification/records.ts';
import type { DeviceRecord } from '../../../src/recipes/passwordless/records.ts';
import type { SessionRecord } from '../../../src/recipes/session-records/records.ts';
import type { UserIdMapping } from '../../../src/recipes/accounts/mapping-records.ts';
import { listUsers } from '../../../src/recipes/users/list-users.ts';
import type { LoginMethodRecord, ReservationRecord, UserRecord } from '../../../src/recipes/accounts/records.ts';
import { accountInfosOf, RECIPE_BITS } from '../../../src/recipes/accounts/records.ts';
import type { TenantNumber } from '../../../src/store/store.ts';
import type { Summary } from './users-model.ts';
import type { UsersWorld } from './users-world.ts';

/** What the collections hold that the steps write; `strange` names records of any other collection. */
interface Records {
  readonly login_methods: LoginMethodRecord;
  readonly users: UserRecord;
  readonly reservations: ReservationRecord;
  readonly user_id_mappings_by_internal_id: UserIdMapping;
  readonly user_id_mappings_by_external_id: UserIdMapping;
  readonly sessions: SessionRecord;
  readonly verified_emails: VerifiedEmailRecord;
  readonly password_reset_tokens: ResetTokenRecord;
  readonly passwordless_devices: DeviceRecord;
  readonly last_active: LastActiveRecord;
}

/** The whole store as the model tells it. */
export async function summaryOf(world: UsersWorld): Promise<Summary> {
  const dump = await world.dump();
  const all = <N extends keyof Records>(name: N): readonly Records[N][] => (dump.get(name) ?? []) as readonly Records[N][];
  const place = (tenant: TenantNumber): number => world.tenants.indexOf(tenant);
  return {
    methods: all('login_methods')
      .map((m) => [m.id, m.isPrimary ? m.primaryUserId : '-', m.tenants.map(place).toSorted().join('+'), ...infos(m)].join(' '))
      .toSorted(),
    users: all('users')
      .map((user) => `${user.id} since ${user.timeJoined}`)
      .toSorted(),
    reservations: all('reservations')
      .map((r) => `${[place(r.tenant), ...r.info].join()} ${r.primaryUserId}`)
      .toSorted(),
    mappings: all('user_id_mappings_by_internal_id')
      .map((m) => `${m.superTokensUserId} ${m.externalUserId}`)
      .toSorted(),
    mappingsBack: all('user_id_mappings_by_external_id')
      .map((m) => `${m.externalUserId} ${m.superTokensUserId}`)
      .toSorted(),
    sessions: all('sessions')
      .map((session) => `${session.handle} ${session.userId}`)
      .toSorted(),
    verified: all('verified_emails')
      .map((row) => `${row.userId} ${row.email}`)
      .toSorted(),
    tokens: all('password_reset_tokens')
      .map((token) => token.userId)
      .toSorted(),
    devices: all('passwordless_devices')
      .map((device) => `${place(device.tenant)} ${device.contact.join()}`)
      .toSorted(),
    active: all('last_active')
      .map((row) => `${row.userId} ${row.at}`)
      .toSorted(),
  };
}

const infos = (method: LoginMethodRecord): string[] => accountInfosOf(method).map((info) => info.join());

/** What must hold of every store, whatever was done; answers what does not. */
export async function brokenInvariants(world: UsersWorld): Promise<string[]> {
  const dump = await world.dump();
  const methods = (dump.get('login_methods') ?? []) as readonly LoginMethodRecord[];
  const users = (dump.get('users') ?? []) as readonly UserRecord[];
  const held = (dump.get('reservations') ?? []) as readonly ReservationRecord[];
  const broken = (await world.strayKeys()).map((key) => `stray key ${Buffer.from(key, 'latin1').toString('hex')}`);
  const alive = new Set([...methods.map((method) => method.id), ...users.map((user) => user.id)]);
  broken.push(...doubleOwners(methods), ...doublePrimaries(methods), ...(await wrongListings(world, methods)));
  for (const method of methods) {
    if (!users.some((user) => user.id === method.primaryUserId)) broken.push(`${method.id} belongs to no user`);
    if (!method.isPrimary && method.primaryUserId !== method.id) broken.push(`${method.id} is linked and stands alone`);
  }
  for (const user of users) broken.push(...wrongUser(user, methods));
  for (const { info, tenant, primaryUserId } of held) {
    const members = methods.filter((method) => method.isPrimary && method.primaryUserId === primaryUserId);
    const has = members.some((member) => infos(member).includes(info.join())) && members.some((member) => member.tenants.includes(tenant));
    if (!has) broken.push(`${primaryUserId} reserves ${info.join()} for nobody`);
  }
  for (const token of (dump.get('password_reset_tokens') ?? []) as readonly ResetTokenRecord[]) {
    // An id that ceased to be a primary user's by unlinking its last member keeps what it had (contract 03 section 1.6).
    if (!alive.has(token.userId) && methods.some((method) => method.primaryUserId === token.userId))
      broken.push(`token of ${token.userId}`);
  }
  return broken;
}

/** Every user of a tenant is listed there once, whole, and nobody else. */
async function wrongListings(world: UsersWorld, methods: readonly LoginMethodRecord[]): Promise<string[]> {
  const broken: string[] = [];
  for (const tenant of [0, 1] as const) {
    const listed: string[] = [];
    let paginationToken: string | undefined;
    do {
      const page = await listUsers(world.context(0, tenant), { limit: 2, ...(paginationToken === undefined ? {} : { paginationToken }) });
      listed.push(...page.users.map((user) => `${user.internalId} of ${user.loginMethods.length}`));
      paginationToken = page.nextPaginationToken;
    } while (paginationToken !== undefined);
    const here = methods.filter((method) => method.tenants.includes(world.tenants[tenant]));
    const due = [...new Set(here.map((method) => method.primaryUserId))].map((id) => {
      const members = methods.filter((method) => method.primaryUserId === id);
      return `${id} of ${members.length}`;
    });
    if (due.toSorted().join() !== listed.toSorted().join()) broken.push(`tenant ${tenant} lists ${listed.join()} instead of ${due.join()}`);
  }
  return broken;
}

function doubleOwners(methods: readonly LoginMethodRecord[]): string[] {
  const owners = new Set<string>();
  return methods.flatMap((method) =>
    method.tenants.flatMap((tenant) =>
      infos(method).flatMap((info) => {
        const key = `${tenant} ${method.recipe} ${info}`;
        const isUnique = method.recipe !== 'thirdparty' || info.startsWith('tparty');
        if (!isUnique || !owners.has(key)) {
          owners.add(key);
          return [];
        }
        return [`two own ${key}`];
      }),
    ),
  );
}

/** In a tenant an account info belongs to at most one primary user, and is reserved by it. */
function doublePrimaries(methods: readonly LoginMethodRecord[]): string[] {
  const owners = new Map<string, string>();
  const broken: string[] = [];
  for (const { isPrimary, primaryUserId, tenants, ...method } of methods) {
    for (const tenant of isPrimary ? tenants : []) {
      for (const info of infos({ isPrimary, primaryUserId, tenants, ...method })) {
        const key = `${tenant} ${info}`;
        if ((owners.get(key) ?? primaryUserId) !== primaryUserId) broken.push(`two primary users have ${key}`);
        owners.set(key, primaryUserId);
      }
    }
  }
  return broken;
}

/** The recipes of login methods, as a sum of their bits. */
function recipesOf(methods: readonly LoginMethodRecord[]): number {
  return [...new Set(methods.map(({ recipe }) => RECIPE_BITS[recipe]))].reduce((sum, bit) => sum + bit, 0);
}

function wrongUser(user: UserRecord, methods: readonly LoginMethodRecord[]): string[] {
  const members = methods.filter((method) => method.primaryUserId === user.id);
  const tenants = new Set(members.flatMap((member) => member.tenants));
  const recipesIn = (tenant: TenantNumber): number => recipesOf(members.filter((member) => member.tenants.includes(tenant)));
  const isRight =
    members.length > 0 &&
    members.every((member) => member.isPrimary === user.isPrimary) &&
    Math.min(...members.map((member) => member.timeJoined)) === user.timeJoined &&
    user.recipes === recipesOf(members) &&
    user.recipesByTenant.length === tenants.size &&
    user.recipesByTenant.every(([tenant, recipes]) => tenants.has(tenant) && recipes === recipesIn(tenant));
  return isRight ? [] : [`the users-record of ${user.id} tells something else than its login methods`];
}
