import type { JsonText } from '../json/free-form.ts';
import type { ImportedRole } from '../recipes/bulk-import/imported-user.ts';
import { verifiedEmail } from '../recipes/email-verification/lookups.ts';
import { totpDevices } from '../recipes/totp/records.ts';
import { mappingByInternalId } from '../recipes/accounts/mappings.ts';
import { metadata } from '../recipes/user-metadata/records.ts';
import { pagesOf } from '../store/pages.ts';
import { assignments, roles } from '../recipes/user-roles/records.ts';
import { loginMethodsOf } from '../recipes/accounts/login-methods.ts';
import { type LoginMethodRecord, users } from '../recipes/accounts/records.ts';
import type { Reader } from '../store/store.ts';
import type { OpenApp } from './data-folder.ts';
import { visibleIdOf, type WholeUser } from './exported-user.ts';

/** Users that are read at once. */
const PAGE = 100;

type App = Pick<OpenApp, 'tenant' | 'directory'>;

/** All users of an app with all that is kept about them, by their internal ids, a page at a time. */
export async function* readUsers(reader: Reader, app: App): AsyncGenerator<readonly WholeUser[]> {
  const number = app.tenant.app;
  const names = await livingRoles(reader, number);
  for await (const page of pagesOf([number], (range) => reader.list(users, undefined, range), users.key, PAGE))
    yield await wholeUsers(reader, app, page, names);
}

/** The ids of all roles; what names another id belongs to a role that was removed. */
async function livingRoles(reader: Reader, app: number): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const page of pagesOf([app], (range) => reader.list(roles, undefined, range), roles.key))
    for (const { id } of page) ids.add(id);
  return ids;
}

async function wholeUsers(
  reader: Reader,
  app: App,
  records: readonly WholeUser['record'][],
  roleIds: ReadonlySet<string>,
): Promise<readonly WholeUser[]> {
  const number = app.tenant.app;
  const groups = await loginMethodsOf(
    reader,
    number,
    records.map(({ id }) => id),
  );
  const all = groups.flat();
  const externalIds = await readExternalIds(reader, number, [...records.map(({ id }) => id), ...all.map(({ id }) => id)]);
  const verified = await readVerified(reader, number, all, externalIds);
  return Promise.all(
    records.map(async (record, at) => {
      const methods = groups[at] ?? [];
      const known = { record, methods, externalIds, verified };
      const userId = visibleIdOf(known);
      const others = [record.id, ...methods.flatMap(({ id }) => [id, externalIds.get(id) ?? id])].filter((id) => id !== userId);
      return {
        ...known,
        ...(await readData(reader, number, userId)),
        roles: await readRoles(reader, app, userId, roleIds),
        hasHiddenData: await hasData(reader, number, [...new Set(others)]),
      };
    }),
  );
}

async function readExternalIds(reader: Reader, app: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await reader.getMany([...new Set(ids)].map((id) => mappingByInternalId(app, id)));
  return new Map(found.flatMap((mapping) => (mapping ? [[mapping.superTokensUserId, mapping.externalUserId] as const] : [])));
}

/** An email is verified under the external id of its login method, where it has one. */
async function readVerified(
  reader: Reader,
  app: number,
  methods: readonly LoginMethodRecord[],
  externalIds: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const withEmail = methods.flatMap(({ id, email }) => (email === null ? [] : [{ id, email }]));
  const found = await reader.getMany(withEmail.map(({ id, email }) => verifiedEmail(app, externalIds.get(id) ?? id, email)));
  return new Set(withEmail.filter((_, at) => found[at]).map(({ id }) => id));
}

async function readData(
  reader: Reader,
  app: number,
  userId: string,
): Promise<{ readonly metadata: JsonText | undefined; readonly devices: WholeUser['devices'] }> {
  const [data, devices] = await reader.getMany([
    { collection: metadata, key: [app, userId] },
    { collection: totpDevices, key: [app, userId] },
  ]);
  return { metadata: data?.metadata, devices: devices?.devices ?? [] };
}

/** The roles of a user id with the tenants in which it has them. */
async function readRoles(
  reader: Reader,
  { tenant, directory }: App,
  userId: string,
  roleIds: ReadonlySet<string>,
): Promise<ImportedRole[]> {
  const prefix = [tenant.app, userId];
  const tenantsOf = new Map<string, string[]>();
  const pages = pagesOf(
    prefix,
    (range) => reader.list(assignments, 'byUser', range),
    (assignment) => [...prefix, ...assignments.key(assignment)],
  );
  for await (const page of pages) {
    for (const assignment of page) {
      const tenantId = roleIds.has(assignment.roleId) ? await directory.tenantIdOf(tenant.app, assignment.tenant) : undefined;
      if (tenantId !== undefined) tenantsOf.set(assignment.role, [...(tenantsOf.get(assignment.role) ?? []), tenantId]);
    }
  }
  return [...tenantsOf].map(([role, tenantIds]) => ({ role, tenantIds }));
}

async function hasData(reader: Reader, app: number, userIds: readonly string[]): Promise<boolean> {
  for (const userId of userIds) {
    const { metadata: data, devices } = await readData(reader, app, userId);
    if (data !== undefined || devices.length > 0) return true;
    if ((await reader.keys(assignments, 'byUser', { prefix: [app, userId], limit: 1 })).length > 0) return true;
  }
  return false;
}
