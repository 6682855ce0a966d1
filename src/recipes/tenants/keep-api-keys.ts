import { type Recorder, recordEvent } from '../audit/record-event.ts';
import { createHash } from 'node:crypto';
import type { Reader, Store } from '../../store/store.ts';
import { DEFAULT_TENANT_ID } from './address.ts';
import type { ApiKeyRecord, ApiScope } from './api-keys.ts';
import { changeApp } from './app-record.ts';
import type { TenantDirectory } from './directory.ts';
import { apiKeyUses, tenants } from './records.ts';
import type { Tenant } from './tenant.ts';

/** More would make every look-up of the app slow; each back end or operator needs one, and two while it changes. */
export const MOST_API_KEYS = 100;

/** A kept API key as it is shown: never the key itself. Times are ms since the epoch. */
export interface ShownApiKey {
  readonly name: string;
  readonly scopes: readonly ApiScope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** To about ten minutes; null: never used. */
  readonly lastUsedAt: number | null;
}

/** What keeps API keys. */
interface Keeper extends Recorder {
  readonly store: Store;
  readonly directory: TenantDirectory;
}

/** The kept API keys of an app, by name. */
export async function listApiKeys(reader: Reader, { cud, appId, app }: Tenant): Promise<readonly ShownApiKey[]> {
  const [record, uses] = await Promise.all([
    reader.get(tenants, [cud, appId, DEFAULT_TENANT_ID]),
    reader.list(apiKeyUses, undefined, { prefix: [app], limit: MOST_API_KEYS }),
  ]);
  const usedAt = new Map(uses.map(({ name, at }) => [name, at]));
  // A use may be written after the removal of its key: it tells nothing about a later one of the same name.
  const useOf = ({ name, createdAt }: ApiKeyRecord): number | null => {
    const at = usedAt.get(name);
    return at === undefined || at < createdAt ? null : at;
  };
  return (record?.apiKeys ?? [])
    .map((kept) => {
      const { digest: _digest, ...key } = kept;
      return { ...key, lastUsedAt: useOf(kept) };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Why a key was not kept, or that it was. */
export type AddedApiKey = 'OK' | 'NAME_TAKEN' | 'TOO_MANY';

/** Keeps the digest of a new API key. @param key the key itself, which is kept nowhere */
export async function addApiKey(keeper: Keeper, tenant: Tenant, key: string, facts: Omit<ApiKeyRecord, 'digest'>): Promise<AddedApiKey> {
  const { store, directory } = keeper;
  const digest = createHash('sha256').update(key).digest('base64url');
  const outcome = await store.transact(async (tx): Promise<AddedApiKey> => {
    let added: AddedApiKey = 'OK';
    await changeApp(tx, tenant, ({ apiKeys = [] }) => {
      if (apiKeys.some(({ name }) => name === facts.name)) added = 'NAME_TAKEN';
      else if (apiKeys.length >= MOST_API_KEYS) added = 'TOO_MANY';
      return { apiKeys: added === 'OK' ? [...apiKeys, { ...facts, digest }] : apiKeys };
    });
    const details = { name: facts.name, scopes: facts.scopes.join(',') };
    if (added === 'OK') await recordEvent(tx, keeper, 'api-key.created', { at: tenant, details });
    return added;
  });
  directory.changed();
  return outcome;
}

/** Removes a kept API key: from its commit on it opens nothing. Answers whether there was one. */
export async function removeApiKey(keeper: Keeper, tenant: Tenant, name: string): Promise<boolean> {
  const { store, directory } = keeper;
  const didExist = await store.transact(async (tx) => {
    let found = false;
    await changeApp(tx, tenant, ({ apiKeys = [] }) => {
      const others = apiKeys.filter((key) => key.name !== name);
      found = others.length < apiKeys.length;
      return { apiKeys: others };
    });
    await tx.delete(apiKeyUses, [tenant.app, name]);
    if (found) await recordEvent(tx, keeper, 'api-key.removed', { at: tenant, details: { name } });
    return found;
  });
  directory.changed();
  return didExist;
}
