import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import { mapPage, pageAcross, type PageRange } from '../../store/pages.ts';
import type { Page, Reader } from '../../store/store.ts';
import { primaryUserIds } from '../accounts/find.ts';
import { asExternal, asInternal, type InternalUserId } from '../accounts/ids.ts';
import { type LoginMethodRecord, type LoginRecipe, membersOf, methodsByCredential } from '../accounts/login-methods.ts';
import { mappingsByExternalId } from '../accounts/mapping-records.ts';
import { loginMethods, users } from '../accounts/records.ts';
import type { Context } from '../context.ts';
import { trimBlanks } from '../normalise.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type MetadataSearch, userIdsByMetadata } from '../user-metadata/find-by-metadata.ts';
import { beginningOf, endOfBeginning, hasTags, runsOf, type TagName } from './search-tags.ts';
import { loadUsersById, type User } from './user.ts';

/** What operators search users by: the beginning of an account info or id, a passkey, or a value in the metadata. */
export type UserSearch =
  | { readonly by: TagName | 'id'; readonly beginning: string }
  | { readonly by: 'passkey'; readonly credentialId: string }
  | ({ readonly by: 'metadata' } & Omit<MetadataSearch, 'app' | 'listed'>);

type World = Pick<Context, 'store' | 'directory' | 'tenant'>;

/** Who is wanted of those who are found. */
interface Wanted extends PageRange {
  /** Those alone who have a login method of it in the tenant. */
  readonly recipe?: LoginRecipe | undefined;
}

/** Pieces of an index that one page looks at where most of what is found is not wanted. */
const MOST_PIECES = 5;

/**
 * Users of the addressed tenant by page, in the order of what is searched. Each page is read from an index, in time
 * that depends on the limit alone; it may be shorter where users would be shown twice, are of other tenants, or have
 * no login method of the wanted recipe.
 * @throws Refusal for metadata that is not searched
 */
export function findUsers({ store, directory, tenant }: World, search: UserSearch, { recipe, ...page }: Wanted): Promise<Page<User>> {
  return store.read(async (reader) => {
    const users: User[] = [];
    let at = page.at;
    for (let piece = 0; piece < MOST_PIECES; piece += 1) {
      const limit = page.limit - users.length;
      const { items, next } = await idsFound(reader, tenant, search, { limit, ...(at && { at }) });
      const found = await loadUsersById(reader, directory, tenant.app, [...new Set(items)]);
      users.push(...found.filter((user) => isIn(user, tenant, recipe)));
      at = next;
      if (!at || users.length >= page.limit) break;
    }
    return { items: users, next: at };
  });
}

const isIn = ({ loginMethods: methods }: User, { tenantId }: Tenant, wanted: LoginRecipe | undefined): boolean =>
  methods.some(({ tenantIds, recipe }) => tenantIds.includes(tenantId) && (wanted === undefined || recipe === wanted));

/** Internal ids of primary users. */
function idsFound(reader: Reader, tenant: Tenant, search: UserSearch, page: PageRange): MaybePromise<Page<InternalUserId>> {
  if (search.by === 'metadata') return byMetadata(reader, tenant, search, page);
  if (search.by === 'passkey') return byPasskey(reader, tenant, search.credentialId);
  return search.by === 'id' ? byId(reader, tenant, search.beginning, page) : byInfo(reader, tenant, search.by, search.beginning, page);
}

/** A linked user who is found by several login methods is shown where the one with the least id stands. */
async function byInfo(reader: Reader, tenant: Tenant, by: TagName, text: string, page: PageRange): Promise<Page<InternalUserId>> {
  const term = trimBlanks(text).toLowerCase();
  const tag = { name: by, terms: [term] };
  const [run] = runsOf(tenant, tag);
  if (!run) return { items: [], next: undefined };
  const isFound = (method: LoginMethodRecord): boolean =>
    // Unlike searches of the interface, the domain of an email is not looked at.
    by === 'email' ? method.email?.startsWith(term) === true : hasTags(method, [tag]);
  const { items, next } = await reader.page(loginMethods, run.index, { ...run.bounds, ...page });
  const matching = items.filter(isFound);
  const areFirst = await Promise.all(matching.map((method) => isFirst(reader, tenant, method, isFound)));
  return { items: matching.filter((_, at) => areFirst[at]).map(({ primaryUserId }) => primaryUserId), next };
}

function isFirst(
  reader: Reader,
  { tenant }: Tenant,
  { app, id, isPrimary, primaryUserId }: LoginMethodRecord,
  isFound: (method: LoginMethodRecord) => boolean,
): MaybePromise<boolean> {
  if (!isPrimary) return true;
  return whenReady(membersOf(reader, app, primaryUserId), (members) =>
    members.every((other) => other.id >= id || !other.tenants.includes(tenant) || !isFound(other)),
  );
}

/** There is one, or a few of different relying parties: all of them are one page. */
function byPasskey(reader: Reader, { app }: Tenant, credentialId: string): MaybePromise<Page<InternalUserId>> {
  const found = methodsByCredential(reader, app, credentialId);
  return whenReady(found, (methods) => ({ items: methods.map(({ primaryUserId }) => primaryUserId), next: undefined }));
}

/** By internal ids of login methods, by external ids, and by those of primary users whose own method is gone. */
async function byId(reader: Reader, { app }: Tenant, text: string, page: PageRange): Promise<Page<InternalUserId>> {
  const beginning = beginningOf(text);
  const end = endOfBeginning(beginning);
  const bounds = <T extends string>(as: (text: string) => T) => {
    const from = [app, as(beginning)] as const;
    return { prefix: [app], from, ...(end !== undefined && { until: [app, as(end)] as const }) } as const;
  };
  const { items, next } = await pageAcross(page, [
    (range) => whenReady(reader.pageOfKeys(loginMethods, undefined, { ...bounds(asInternal), ...range }), idsInKeys),
    (range) =>
      whenReady(reader.page(mappingsByExternalId, undefined, { ...bounds(asExternal), ...range }), (mappings) =>
        mapPage(mappings, ({ superTokensUserId }) => superTokensUserId),
      ),
    (range) => whenReady(reader.pageOfKeys(users, undefined, { ...bounds(asInternal), ...range }), idsInKeys),
  ]);
  const methods = await reader.getMany(items.map((id) => ({ collection: loginMethods, key: [app, id] as const })));
  return { items: items.map((id, at) => methods[at]?.primaryUserId ?? id), next };
}

const idsInKeys = (keys: Page<{ readonly key: readonly [unknown, InternalUserId] }>): Page<InternalUserId> =>
  mapPage(keys, ({ key: [, id] }) => id);

async function byMetadata(
  reader: Reader,
  { app, appConfig }: Tenant,
  { key, value }: Omit<MetadataSearch, 'app' | 'listed'>,
  page: PageRange,
): Promise<Page<InternalUserId>> {
  const { items, next } = await userIdsByMetadata(reader, { app, key, value, listed: appConfig.metadata_search_keys }, page);
  // Metadata may be kept under ids that are nobody's.
  return { items: await primaryUserIds(reader, app, items), next };
}
