import { writeUser, membersOf, userOf } from '../../../recipes/accounts/login-methods.ts';
import { asInternal, type InternalUserId } from '../../../recipes/accounts/ids.ts';
import { type LoginMethodRecord, type LoginRecipe, loginMethods, users } from '../../../recipes/accounts/records.ts';
import { keepPasskeys, PASSKEY_PART } from './passkeys.ts';
import { webauthnCredentials } from '../../../recipes/webauthn/records.ts';
import { findConflict, releaseUnused, reservationsFor, reserve } from '../../../recipes/accounts/reservations.ts';
import type { Config } from '../../../config/config.ts';
import { hashFamily } from '../../../crypto/password-hashes.ts';
import type { Row } from '../../../store/foreign-database.ts';
import type { AppNumber, TenantNumber, Transaction } from '../../../store/store.ts';
import { flagIn, numberIn, textIn, wordIn } from '../layout.ts';
import type { Change, LossText, TableGroup, Unit } from '../table-group.ts';

type Details = Pick<LoginMethodRecord, 'email' | 'phoneNumber' | 'thirdPartyId' | 'thirdPartyUserId' | 'passwordHash'>;

const NO_DETAILS: Details = { email: null, phoneNumber: null, thirdPartyId: null, thirdPartyUserId: null, passwordHash: null };

interface RecipeTable {
  readonly table: string;
  readonly columns: readonly string[];
  readonly details: (row: Row) => Partial<Details>;
}

/** The table of each recipe, which every mode of the old core writes and shows (contract 09 section 4). */
const RECIPE_TABLES: Readonly<Record<LoginRecipe, RecipeTable>> = {
  emailpassword: {
    table: 'emailpassword_users',
    columns: ['email', 'password_hash'],
    details: (row) => ({ email: wordIn(row, 'email'), passwordHash: wordIn(row, 'password_hash') }),
  },
  thirdparty: {
    table: 'thirdparty_users',
    columns: ['third_party_id', 'third_party_user_id', 'email'],
    details: (row) => ({
      email: wordIn(row, 'email'),
      thirdPartyId: wordIn(row, 'third_party_id'),
      thirdPartyUserId: wordIn(row, 'third_party_user_id'),
    }),
  },
  passwordless: {
    table: 'passwordless_users',
    columns: ['email', 'phone_number'],
    details: (row) => ({ email: textIn(row, 'email') ?? null, phoneNumber: textIn(row, 'phone_number') ?? null }),
  },
  webauthn: { table: 'webauthn_users', columns: ['email', 'rp_id'], details: (row) => ({ email: wordIn(row, 'email') }) },
};

const isRecipe = (text: string): text is LoginRecipe => Object.hasOwn(RECIPE_TABLES, text);

const IDENTITIES = 'app_id_to_user_id';
const OLD_MEMBERSHIP = 'all_auth_recipe_users';
const NEW_MEMBERSHIP = 'recipe_user_tenants';

const LOSSES = {
  noIdentity: { reason: `it has no row in ${IDENTITIES}`, remedy: `add that row, or delete this one` },
  unknownRecipe: { reason: 'its recipe_id is of no recipe', remedy: `correct recipe_id in ${IDENTITIES}, or delete the row` },
  otherRecipe: { reason: 'its id belongs to a login method of another recipe', remedy: 'delete this row, or the other' },
  twoGroups: {
    reason: 'it is not linked, and yet names another primary user',
    remedy: `correct primary_or_recipe_user_id in ${IDENTITIES}`,
  },
} satisfies Record<string, LossText>;

/** Users of all recipes: their login methods with tenants, links and credentials. */
export const USERS: TableGroup = {
  name: 'users',
  parts: [
    {
      table: IDENTITIES,
      unit: ['app_id', 'user_id'],
      columns: ['app_id', 'user_id', 'recipe_id', 'primary_or_recipe_user_id', 'is_linked_or_is_a_primary_user'],
    },
    { table: OLD_MEMBERSHIP, unit: ['app_id', 'user_id'], columns: ['app_id', 'tenant_id', 'user_id'] },
    { table: NEW_MEMBERSHIP, unit: ['app_id', 'recipe_user_id'], columns: ['app_id', 'tenant_id', 'recipe_user_id'] },
    ...Object.values(RECIPE_TABLES).map(({ table, columns }) => ({
      table,
      unit: ['app_id', 'user_id'],
      columns: ['app_id', 'user_id', 'time_joined', ...columns],
    })),
    PASSKEY_PART,
  ],
  collections: [loginMethods, webauthnCredentials],
  convert: (unit) => {
    const [, any] = unit.all()[0] ?? [];
    const app = unit.places.app(any ? wordIn(any, 'app_id') : '');
    if (!app) return unit.leaveAll('unreachable');
    const [identity] = unit.rows(IDENTITIES);
    if (!identity) return unit.loseAll(LOSSES.noIdentity);
    const recipe = wordIn(identity, 'recipe_id');
    if (!isRecipe(recipe)) return unit.loseAll(LOSSES.unknownRecipe);
    const [row] = unit.rows(RECIPE_TABLES[recipe].table);
    loseOthers(unit, recipe);
    // Whatever hangs on its id is moved with the other tables; a primary user lives on in its members.
    if (!row) return unit.leaveAll('ghost');
    const method = methodOf(unit, app.app, identity, recipe, row);
    if (!method) return unit.loseAll(LOSSES.twoGroups);
    noteHash(unit, method, row, app.config);
    const credentialIds = keepPasskeys(unit, method);
    unit.make(loginMethods, credentialIds.length === 0 ? method : { ...method, credentialIds });
  },
  settle,
  proof: {
    table: 'emailpassword_users',
    ofRow: (row) => `${wordIn(row, 'user_id')} ${wordIn(row, 'password_hash')}`,
    ofRecord: (record) => {
      if (!isMethod(record) || record.passwordHash === null) return [];
      return [`${record.id} ${record.passwordHash}`];
    },
  },
};

/** A hash is moved as it is, even if nobody can sign in with it. */
function noteHash(unit: Unit, { passwordHash }: LoginMethodRecord, row: Row, config: Config): void {
  if (passwordHash === null) return;
  const { table } = RECIPE_TABLES.emailpassword;
  const family = hashFamily(passwordHash);
  if (family === undefined) unit.note(table, row, 'its password hash is of no kind that is known: its owner signs in after a reset');
  else if (family === 'firebase' && !config.firebase_password_hashing_signer_key)
    unit.note(table, row, 'firebase_password_hashing_signer_key is not set, without which its password cannot be verified');
}

function loseOthers(unit: Unit, recipe: LoginRecipe): void {
  for (const [name, { table }] of Object.entries(RECIPE_TABLES))
    if (name !== recipe) for (const row of unit.rows(table)) unit.lose(table, row, LOSSES.otherRecipe);
}

/** Undefined where its link makes no sense. */
function methodOf(unit: Unit, app: AppNumber, identity: Row, recipe: LoginRecipe, row: Row): LoginMethodRecord | undefined {
  const id = asInternal(wordIn(identity, 'user_id'));
  const isPrimary = flagIn(identity, 'is_linked_or_is_a_primary_user');
  const primaryUserId = asInternal(textIn(identity, 'primary_or_recipe_user_id') ?? id);
  if (!isPrimary && primaryUserId !== id) return undefined;
  return {
    app,
    id,
    recipe,
    primaryUserId,
    isPrimary,
    timeJoined: numberIn(row, 'time_joined') ?? 0,
    tenants: tenantsOf(unit),
    ...NO_DETAILS,
    ...RECIPE_TABLES[recipe].details(row),
  };
}

/** From the tables that the old core reads in the mode of each tenant (contract 09 section 8). */
function tenantsOf(unit: Unit): readonly TenantNumber[] {
  const found = new Set<TenantNumber>();
  for (const table of [OLD_MEMBERSHIP, NEW_MEMBERSHIP])
    for (const row of unit.rows(table)) {
      const place = unit.places.tenant(wordIn(row, 'app_id'), wordIn(row, 'tenant_id'));
      if (!place) unit.leave(row, 'unreachable');
      else if (place.readsNew !== (table === NEW_MEMBERSHIP)) unit.leave(row, 'not read in this mode');
      else found.add(place.tenant);
    }
  return [...found].toSorted((a, b) => a - b);
}

/** Among all that is made of users. */
const isMethod = (record: unknown): record is LoginMethodRecord =>
  typeof record === 'object' && record !== null && 'primaryUserId' in record;

/** Writes the users to whom changed methods belong or belonged, and what they reserve. */
async function settle(tx: Transaction, changes: readonly Change[]): Promise<readonly Change[]> {
  const groups = new Map<string, { app: AppNumber; id: InternalUserId; changes: Change[] }>();
  for (const change of changes)
    for (const method of [change.before, change.after].filter(isMethod)) {
      const name = `${method.app} ${method.primaryUserId}`;
      const group = groups.get(name) ?? { app: method.app, id: method.primaryUserId, changes: [] };
      groups.set(name, group);
      if (!group.changes.includes(change)) group.changes.push(change);
    }
  const settled = await Promise.all([...groups.values()].map((group) => settleUser(tx, group.app, group.id, group.changes)));
  return settled.flat();
}

async function settleUser(tx: Transaction, app: AppNumber, id: InternalUserId, changes: readonly Change[]): Promise<readonly Change[]> {
  const [only, ...others] = changes;
  // A new one that stands alone: there is nothing to be read, and nothing to be reserved.
  const made = only?.before === undefined && others.length === 0 ? only?.after : undefined;
  if (isMethod(made) && !made.isPrimary) {
    await tx.put(users, userOf(id, [made], made));
    return [];
  }
  const members = await membersOf(tx, app, id);
  const wanted = members[0]?.isPrimary ? reservationsFor(id, members) : [];
  if (await findConflict(tx, wanted)) return changes.filter(({ after }) => isMethod(after) && after.primaryUserId === id);
  await writeUser(tx, app, id, members);
  await releaseUnused(tx, app, id, wanted.length > 0 ? members : []);
  await reserve(tx, wanted);
  return [];
}
