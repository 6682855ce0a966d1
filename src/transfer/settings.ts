import { isJsonObject } from '../json/free-form.ts';
import type { FileItem, FileUser, UserFile } from './user-file.ts';

/** What of an app is no user, a line of a file each; they stand before the users, who name them. */
export type Setting =
  | { readonly kind: 'role'; readonly role: string; readonly permissions: unknown }
  | { readonly kind: 'tenant'; readonly tenantId: string; readonly tenant: object };

/** Puts a setting into the app; answers why that cannot be, a sentence. @throws what ends an import */
export type PutSetting = (setting: Setting) => Promise<string | undefined>;

/** The setting that a line holds; undefined for a user. */
export function settingIn({ user, text }: FileUser): Setting | undefined {
  if (Object.hasOwn(user, 'loginMethods')) return undefined;
  const { role, tenant } = user;
  const tenantId = tenant !== undefined && isJsonObject(tenant) ? tenant['tenantId'] : undefined;
  // Read again as plain JSON: nothing in it has numbers that this would change.
  const plain = (): { readonly permissions?: unknown; readonly tenant?: object } => JSON.parse(text);
  if (typeof role === 'string') return { kind: 'role', role, permissions: plain().permissions ?? [] };
  return typeof tenantId === 'string' ? { kind: 'tenant', tenantId, tenant: plain().tenant ?? {} } : undefined;
}

/**
 * The same file without its settings, each of which is put into the app when it is read: before the users behind it
 * are looked at. One that the app refuses is a value that is no user. Putting one twice is as good as once.
 */
export function withSettings(file: UserFile, put: PutSetting): UserFile {
  return { ...file, items: (from) => usersOf(file.items(from), put) };
}

async function* usersOf(items: AsyncIterable<FileItem>, put: PutSetting): AsyncGenerator<FileItem> {
  for await (const item of items) {
    const { value, next } = item;
    const setting = 'user' in value ? settingIn(value) : undefined;
    if (setting === undefined || !('user' in value)) {
      yield item;
      continue;
    }
    const error = await put(setting);
    if (error !== undefined) yield { value: { at: value.at, error, text: value.text, isObject: true }, next };
  }
}
