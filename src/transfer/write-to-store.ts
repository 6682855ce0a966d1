import { randomBytes, randomUUID } from 'node:crypto';
import type { Passwords } from '../crypto/crypto.ts';
import { isJsonObject } from '../json/free-form.ts';
import { COMMAND_LINE } from '../recipes/audit/event.ts';
import type { Recorder } from '../recipes/audit/record-event.ts';
import { AuditTrail } from '../recipes/audit/trail.ts';
import { type AppNames, ImportRules } from '../recipes/bulk-import/import-rules.ts';
import { readTargets, staleErrors } from '../recipes/bulk-import/import-targets.ts';
import { importUser } from '../recipes/bulk-import/import-user.ts';
import { type ImportedUser, mainMethodOf } from '../recipes/bulk-import/imported-user.ts';
import { recordImport } from '../recipes/bulk-import/record-import.ts';
import { preparePasswords } from '../recipes/bulk-import/prepare-passwords.ts';
import { validateUsers } from '../recipes/bulk-import/validate-users.ts';
import { type KeyValueName, putKeyValue, readKeyValue, removeKeyValue } from '../recipes/key-value/key-values.ts';
import { tenantIdsOf } from '../recipes/multitenancy/list-tenants.ts';
import { roleNamesOf } from '../recipes/user-roles/list-roles.ts';
import { isUserId } from '../recipes/accounts/find.ts';
import type { AppNumber, Transaction } from '../store/store.ts';
import { asInternal, type InternalUserId } from '../recipes/accounts/ids.ts';
import type { OpenApp } from './data-folder.ts';
import { type Batch, ImportFault, type Outcome, rejectOf, type Target } from './outcome.ts';
import type { FileUser } from './user-file.ts';

/** Users that wait at a time for the lane, which takes 256 passwords; each has twenty at most. */
const HASHED_AT_ONCE = 12;
const NAMES_MS = 1000;

/** A user that can be written, and where it comes from. */
interface Ready {
  readonly source: FileUser;
  readonly user: ImportedUser;
}

interface Prepared {
  readonly ready: readonly Ready[];
  readonly invalid: readonly Refused[];
}

/** Why a user of the file is not imported. */
interface Refused {
  readonly source: FileUser;
  readonly errors: readonly string[];
}

/** What the store remembers of the last batch of an import, written in the same transaction. */
interface Kept {
  /** Offset in the file behind the batch. */
  readonly end: number;
  readonly refused: readonly { readonly at: number; readonly errors: readonly string[] }[];
}

export interface StoreTargetOptions {
  readonly app: OpenApp;
  readonly crypto: Pick<Passwords, 'hashPassword'>;
  /** Login methods get the ids that the file gives them. */
  readonly keepsIds: boolean;
  /** Of the import, as in the state file. */
  readonly run: string;
}

/** Writes users into the store, a batch in one transaction, with the same code as the core's queue. */
export class StoreTarget implements Target {
  readonly name: string;
  readonly #options: StoreTargetOptions;
  readonly #record: KeyValueName;
  readonly #recorder: Recorder;
  #names: AppNames | undefined;
  #namesReadAt = 0;
  readonly #prepared = new WeakMap<Batch, Promise<Prepared>>();

  constructor(name: string, options: StoreTargetOptions) {
    this.name = name;
    this.#options = options;
    this.#record = `bulk-import ${options.run}`;
    const { config, tenant } = options.app;
    const trail = new AuditTrail(() => config.audit_trail, randomBytes);
    this.#recorder = { trail, tenant, actor: COMMAND_LINE, via: 'watchword import', now: Date.now };
  }

  async prepare(batch: Batch): Promise<void> {
    const preparing = this.#check(batch.users);
    this.#prepared.set(batch, preparing);
    await preparing;
  }

  async accept(batch: Batch): Promise<Outcome> {
    const { ready, invalid } = await (this.#prepared.get(batch) ?? this.#check(batch.users));
    const { app } = this.#options;
    const kept = await app.store.transact(async (tx) => {
      const refused = [...invalid, ...(await this.#importAll(tx, ready))].map(({ source, errors }) => ({ at: source.at, errors }));
      const done: Kept = { end: batch.next.offset, refused };
      await putKeyValue(tx, { app: app.tenant.app, name: this.#record, value: JSON.stringify(done), createdAt: Date.now() });
      return done;
    });
    return outcomeOf(kept, batch);
  }

  async recall(batch: Batch): Promise<Outcome | undefined> {
    const { store, tenant } = this.#options.app;
    const text = await store.read((reader) => readKeyValue(reader, tenant.app, this.#record));
    // Written by this class alone, as a whole.
    const kept = text === undefined ? undefined : (JSON.parse(text) as Kept);
    return kept?.end === batch.next.offset ? outcomeOf(kept, batch) : undefined;
  }

  async #check(sources: readonly FileUser[]): Promise<Prepared> {
    const { app, keepsIds, crypto } = this.#options;
    const { tenant } = app;
    const rules = new ImportRules({ names: await this.#readNames(), now: Date.now(), randomId: randomUUID, dropsNulls: false });
    const { invalid, users } = validateUsers(
      sources.map(({ user }) => user),
      rules,
    );
    const refused = invalid.flatMap(({ index, errors }) => (sources[index] ? [{ source: sources[index], errors }] : []));
    const wrong = new Set(refused.map(({ source }) => source));
    const right = sources.filter((source) => !wrong.has(source));
    const ready = users.flatMap((user, at): Ready[] => {
      const source = right[at];
      return source ? [{ source, user: keepsIds ? withIdsOf(source, user) : user }] : [];
    });
    const hashed: Ready[] = [];
    for (let start = 0; start < ready.length; start += HASHED_AT_ONCE) {
      const some = ready.slice(start, start + HASHED_AT_ONCE);
      const done = some.map(async ({ source, user }) => ({ source, user: await preparePasswords(user, crypto, tenant.appConfig) }));
      hashed.push(...(await Promise.all(done)));
    }
    return { ready: hashed, invalid: refused };
  }

  /** What users may name, read once a second; the transaction checks again what they do name. */
  async #readNames(): Promise<AppNames> {
    const now = performance.now();
    if (this.#names && now - this.#namesReadAt < NAMES_MS) return this.#names;
    const { store, tenant } = this.#options.app;
    const [roles, tenantIds] = await Promise.all([roleNamesOf(store, tenant.app), tenantIdsOf(store, tenant)]);
    const hasSignerKey = tenant.appConfig.firebase_password_hashing_signer_key !== null;
    this.#names = { roles, tenantIds: [...tenantIds.values()], hasSignerKey };
    this.#namesReadAt = now;
    return this.#names;
  }

  /** Forgets what the store remembers of this import, which has come to its end. */
  async forget(): Promise<void> {
    const { store, tenant } = this.#options.app;
    await removeKeyValue(store, tenant.app, this.#record);
  }

  /** Imports what can be imported; answers the rest. */
  async #importAll(tx: Transaction, ready: readonly Ready[]): Promise<Refused[]> {
    const { app, keepsIds } = this.#options;
    const targets = await readTargets(
      tx,
      app.tenant,
      ready.map(({ user }) => user),
      Date.now(),
    );
    const refused: Refused[] = [];
    for (const { source, user } of ready) {
      const errors = [...staleErrors(targets, user), ...(keepsIds ? await takenIds(tx, app.tenant.app, user) : [])];
      const error = errors.length > 0 ? undefined : await importUser(tx, targets, user);
      if (error !== undefined) errors.push(error);
      if (errors.length > 0) refused.push({ source, errors });
      else await recordImport(tx, this.#recorder, user);
    }
    return refused;
  }
}

function outcomeOf({ refused }: Kept, { users }: Batch): Outcome {
  const sources = new Map(users.map((source) => [source.at, source]));
  const rejects = refused.map(({ at, errors }) => {
    const source = sources.get(at);
    if (!source) throw new ImportFault('The state file and the store do not belong together.');
    return rejectOf(source, errors);
  });
  return { status: 'accepted', rejects, queued: [] };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The user with the valid ids that the file gives its login methods; a mapping to its own id is none. */
function withIdsOf({ user: given }: FileUser, user: ImportedUser): ImportedUser {
  const methods = given['loginMethods'];
  const idAt = (at: number): InternalUserId | undefined => {
    const method = Array.isArray(methods) ? methods[at] : undefined;
    const id = isJsonObject(method) ? method['superTokensUserId'] : undefined;
    return typeof id === 'string' && UUID.test(id) ? asInternal(id) : undefined;
  };
  const loginMethods = user.loginMethods.map((method, at) => ({ ...method, superTokensUserId: idAt(at) ?? method.superTokensUserId }));
  const { externalUserId, ...rest } = user;
  const isMapped = externalUserId !== undefined && externalUserId !== mainMethodOf(loginMethods).superTokensUserId;
  return { ...rest, loginMethods, ...(isMapped && { externalUserId }) };
}

async function takenIds(tx: Transaction, app: AppNumber, { loginMethods }: ImportedUser): Promise<string[]> {
  const ids = loginMethods.map(({ superTokensUserId }) => superTokensUserId);
  const taken = await Promise.all(ids.map((id) => isUserId(tx, app, id)));
  const errors = ids.filter((_, at) => taken[at]).map((id) => `A user with the id ${id} already exists.`);
  return new Set(ids).size < ids.length ? [...errors, 'Two login methods have the same id.'] : errors;
}
