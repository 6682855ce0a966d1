import type { Commands } from '../../generated/commands.ts';
import { type JsonObject, parseJson } from '../../json/free-form.ts';
import type { Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { tenantNumbers } from '../tenants/tenant-numbers.ts';
import { Refusal } from '../refusal.ts';
import { roleIds } from '../user-roles/give-roles.ts';
import { loadUserById, type User } from '../users/user.ts';
import { type AppNames, ImportRules } from './import-rules.ts';
import { readTargets } from './import-targets.ts';
import { importUser } from './import-user.ts';
import { mainMethodOf } from './imported-user.ts';
import { namedIn } from './named-in.ts';
import { preparePasswords } from './prepare-passwords.ts';
import { recordImport } from './record-import.ts';
import { readUser } from './validate-user.ts';

type Command = Commands['bulk-import/import-now'];

/**
 * `POST /bulk-import/import` (contract 05 section 6.8): one user at once, past the queue, in one transaction.
 * @throws Refusal whose text is JSON that holds all that is wrong with the user
 */
export async function importNow(context: Context, command: Command): Promise<User> {
  const { store, directory, tenant, crypto, randomId } = context;
  const now = context.now();
  const given = objectOf(command);
  const names = await store.read((reader) => namesFor(reader, tenant, given));
  const read = readUser(given, new ImportRules({ names, now, randomId, dropsNulls: false }));
  if ('errors' in read) throw refused(read.errors);
  const user = await preparePasswords(read.user, crypto, tenant.appConfig, { lane: 'hash' });
  const error = await store.transact(async (tx) => {
    const fault = await importUser(tx, await readTargets(tx, tenant, [user], now), user);
    if (fault === undefined) await recordImport(tx, context, user);
    return fault;
  });
  if (error !== undefined) throw refused([error]);
  const id = mainMethodOf(user.loginMethods).superTokensUserId;
  const imported = await store.read((reader) => loadUserById(reader, directory, tenant.app, id));
  if (!imported) throw refused(['the user was removed while it was imported']);
  return imported;
}

const refused = (errors: readonly string[]): Refusal => new Refusal('bad-input', { text: JSON.stringify({ errors }) });

/** The user as it was sent; a member that was not sent is not there. */
function objectOf(command: Command): JsonObject {
  return Object.fromEntries(Object.entries(command).flatMap(([name, text]) => (text === undefined ? [] : [[name, parseJson(text)]])));
}

/** Of all roles and tenants of the app those that the user names: one round of reads, however many there are. */
async function namesFor(reader: Reader, tenant: Tenant, given: JsonObject): Promise<AppNames> {
  const named = namedIn(given);
  const [roles, tenants] = await Promise.all([
    roleIds(reader, tenant.app, named.roles),
    tenantNumbers(reader, tenant, [...named.tenantIds, 'public']),
  ]);
  return {
    roles: [...roles.keys()],
    tenantIds: [...tenants.keys()],
    hasSignerKey: tenant.appConfig.firebase_password_hashing_signer_key !== null,
  };
}
