import { verifiedEmail } from '../recipes/email-verification/lookups.ts';
import { mappingByInternalId } from '../recipes/accounts/mappings.ts';
import { pagesOf } from '../store/pages.ts';
import { loginMethodsOf } from '../recipes/accounts/login-methods.ts';
import { type LoginMethodRecord, users } from '../recipes/accounts/records.ts';
import type { AppNumber, Reader } from '../store/store.ts';
import type { InternalUserId } from '../recipes/accounts/ids.ts';
import type { WholeUser } from './exported-user.ts';

/** Users that are read at once. */
const PAGE = 100;

/** All users of an app with their login methods, by their internal ids, a page at a time. */
export async function* readUsers(reader: Reader, app: AppNumber): AsyncGenerator<readonly WholeUser[]> {
  for await (const page of pagesOf((range) => reader.page(users, undefined, { prefix: [app], ...range }), PAGE))
    yield await wholeUsers(reader, app, page);
}

async function wholeUsers(reader: Reader, app: AppNumber, records: readonly WholeUser['record'][]): Promise<readonly WholeUser[]> {
  const ids = records.map(({ id }) => id);
  const groups = await loginMethodsOf(reader, app, ids);
  const all = groups.flat();
  const externalIds = await readExternalIds(reader, app, [...ids, ...all.map(({ id }) => id)]);
  const verified = await readVerified(reader, app, all, externalIds);
  return records.map((record, at) => ({ record, methods: groups[at] ?? [], externalIds, verified }));
}

async function readExternalIds(reader: Reader, app: AppNumber, ids: readonly InternalUserId[]): Promise<ReadonlyMap<string, string>> {
  const found = await reader.getMany([...new Set(ids)].map((id) => mappingByInternalId(app, id)));
  return new Map(found.flatMap((mapping) => (mapping ? [[mapping.superTokensUserId, mapping.externalUserId] as const] : [])));
}

/** An email is verified under the external id of its login method, where it has one; with passkeys under either id. */
async function readVerified(
  reader: Reader,
  app: AppNumber,
  methods: readonly LoginMethodRecord[],
  externalIds: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const asked = methods.flatMap(({ id, email, recipe }) => {
    const shownId = externalIds.get(id) ?? id;
    const owners = recipe === 'webauthn' ? new Set([shownId, id]) : [shownId];
    return email === null ? [] : [...owners].map((owner) => ({ id, read: verifiedEmail(app, owner, email) }));
  });
  const found = await reader.getMany(asked.map(({ read }) => read));
  return new Set(asked.filter((_, at) => found[at]).map(({ id }) => id));
}
