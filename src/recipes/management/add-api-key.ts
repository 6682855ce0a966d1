import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { API_SCOPES, type ApiScope, grants } from '../tenants/api-keys.ts';
import { isBase } from '../tenants/ensure-base-tenant.ts';
import { addApiKey, MOST_API_KEYS } from '../tenants/keep-api-keys.ts';

/** A new key as its owner gets it, or why there is none. */
export type NewApiKey =
  | { readonly status: 'OK'; readonly name: string; readonly key: string; readonly expiresAt: number | null }
  | { readonly status: 'API_KEY_ALREADY_EXISTS_ERROR' };

/** What a key begins with, so that scanners of source code and logs find one that got lost. */
const PREFIX = 'ww-';
const KEY_BYTES = 32;
/** Enough for names of services; they go into tables and logs. */
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** `POST /manage/v1/api-keys`: makes a key and keeps its digest. @throws Refusal */
export async function addApiKeyOf(context: Context, command: Commands['management/add-api-key']): Promise<NewApiKey> {
  const { tenant, now } = context;
  const { name, validityMs } = command;
  if (!NAME.test(name)) throw bad('A name has 1 to 64 letters, digits, dots, underscores and hyphens');
  if (validityMs !== undefined && validityMs < 1) throw bad('validityMs must be at least 1');
  const scopes = scopesOf(context, command.scopes);
  const createdAt = now();
  const expiresAt = validityMs === undefined ? null : createdAt + validityMs;
  const key = PREFIX + context.randomBytes(KEY_BYTES).toString('hex');
  const added = await addApiKey(context, tenant, key, { name, scopes, createdAt, expiresAt });
  if (added === 'TOO_MANY') throw bad(`An app has at most ${MOST_API_KEYS} API keys; remove some first`);
  return added === 'NAME_TAKEN' ? { status: 'API_KEY_ALREADY_EXISTS_ERROR' } : { status: 'OK', name, key, expiresAt };
}

/** A key gives no more than it has, else the scope `keys` would be all of them. @throws Refusal */
function scopesOf({ scopes: held, address }: Context, asked: readonly string[]): readonly ApiScope[] {
  const scopes = API_SCOPES.filter((scope) => asked.includes(scope));
  const unknown = asked.find((scope) => !scopes.some((known) => known === scope));
  if (unknown !== undefined || scopes.length === 0) throw bad(`scopes must be some of ${API_SCOPES.join(', ')}`);
  if (!isBase(address) && scopes.some((scope) => scope !== 'cdi'))
    throw bad("Only keys of the base app may have other scopes than 'cdi': they alone open the management endpoints");
  const missing = scopes.find((scope) => !grants(held, scope));
  if (missing !== undefined) throw new Refusal('scope-missing', { scope: missing });
  return scopes;
}

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
