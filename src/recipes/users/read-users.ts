import { verifiedEmail } from '../email-verification/lookups.ts';
import { mappingByInternalId, type UserIdMapping } from '../accounts/mappings.ts';
import { type PageRange, pagesOf } from '../../store/pages.ts';
import { loginMethodsOf } from '../accounts/login-methods.ts';
import { type LoginMethodRecord, type UserRecord, users } from '../accounts/records.ts';
import type { AppNumber, Page, Reader } from '../../store/store.ts';
import type { InternalUserId } from '../accounts/ids.ts';

/** A user with its login methods. */
export interface WholeUser {
  readonly record: UserRecord;
  readonly methods: readonly LoginMethodRecord[];
  /** Mappings of login methods and of the user, by internal ids. */
  readonly mappings: ReadonlyMap<string, UserIdMapping>;
  /** Ids of login methods whose email is verified. */
  readonly verified: ReadonlySet<string>;
}

/** Users that are read at once. */
const PAGE = 100;

/** All users of an app with their login methods, by their internal ids, a page at a time. */
export async function* readUsers(reader: Reader, app: AppNumber): AsyncGenerator<readonly WholeUser[]> {
  yield* pagesOf((range) => readPageOfUsers(reader, app, range), PAGE);
}

/** One page of them. */
export async function readPageOfUsers(reader: Reader, app: AppNumber, range: PageRange): Promise<Page<WholeUser>> {
  const { items, next } = await reader.page(users, undefined, { prefix: [app], ...range });
  return { items: await wholeUsers(reader, app, items), next };
}

/** How many users an app has. */
export const countAllUsers = async (reader: Reader, app: AppNumber): Promise<number> => reader.count(users, undefined, { prefix: [app] });

async function wholeUsers(reader: Reader, app: AppNumber, records: readonly WholeUser['record'][]): Promise<readonly WholeUser[]> {
  const ids = records.map(({ id }) => id);
  const groups = await loginMethodsOf(reader, app, ids);
  const all = groups.flat();
  const mappings = await readMappings(reader, app, [...ids, ...all.map(({ id }) => id)]);
  const verified = await readVerified(reader, app, all, mappings);
  return records.map((record, at) => ({ record, methods: groups[at] ?? [], mappings, verified }));
}

async function readMappings(reader: Reader, app: AppNumber, ids: readonly InternalUserId[]): Promise<WholeUser['mappings']> {
  const found = await reader.getMany([...new Set(ids)].map((id) => mappingByInternalId(app, id)));
  return new Map(found.flatMap((mapping) => (mapping ? [[mapping.superTokensUserId, mapping] as const] : [])));
}

/** An email is verified under the external id of its login method, where it has one; with passkeys under either id. */
async function readVerified(
  reader: Reader,
  app: AppNumber,
  methods: readonly LoginMethodRecord[],
  mappings: WholeUser['mappings'],
): Promise<ReadonlySet<string>> {
  const asked = methods.flatMap(({ id, email, recipe }) => {
    const shownId = mappings.get(id)?.externalUserId ?? id;
    const owners = recipe === 'webauthn' ? new Set([shownId, id]) : [shownId];
    return email === null ? [] : [...owners].map((owner) => ({ id, read: verifiedEmail(app, owner, email) }));
  });
  const found = await reader.getMany(asked.map(({ read }) => read));
  return new Set(asked.filter((_, at) => found[at]).map(({ id }) => id));
}
