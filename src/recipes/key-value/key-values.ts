import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Store, Transaction } from '../../store/store.ts';
import { whenReady } from '../../store/maybe-promise.ts';
import { type KeyValueRecord, keyValues } from './records.ts';

/** The names in use; an app has at most one value for each. The last is how far the import of a file came. */
export type KeyValueName = 'refresh_token_key' | 'LICENSE_KEY' | 'websiteDomain' | 'apiDomain' | 'Test' | `bulk-import ${string}`;

export function readKeyValue(reader: Reader, app: AppNumber, name: KeyValueName): MaybePromise<string | undefined> {
  return whenReady(reader.get(keyValues, [app, name]), (entry) => entry?.value);
}

export async function writeKeyValues(
  store: Store,
  app: AppNumber,
  values: Readonly<Partial<Record<KeyValueName, string>>>,
  now: number,
): Promise<void> {
  await store.transact(async (tx) => {
    for (const [name, value] of Object.entries(values)) await tx.put(keyValues, { app, name, value, createdAt: now });
  });
}

/** Keeps a value in the caller's transaction. */
export async function putKeyValue(tx: Transaction, value: KeyValueRecord & { readonly name: KeyValueName }): Promise<void> {
  await tx.put(keyValues, value);
}

/** Keeps `value` unless the app already has one; answers the one that is kept. */
export async function keepFirstKeyValue(store: Store, app: AppNumber, name: KeyValueName, value: string, now: number): Promise<string> {
  return store.transact(async (tx) => {
    const kept = await tx.get(keyValues, [app, name]);
    if (kept) return kept.value;
    await tx.put(keyValues, { app, name, value, createdAt: now });
    return value;
  });
}

export async function removeKeyValue(store: Store, app: AppNumber, name: KeyValueName): Promise<void> {
  await store.transact((tx) => takeKeyValue(tx, app, name));
}

/** Removes a value in the caller's transaction; answers whether there was one. */
export async function takeKeyValue(tx: Transaction, app: AppNumber, name: KeyValueName): Promise<boolean> {
  return tx.delete(keyValues, [app, name]);
}
