import { isJsonObject, type JsonObject, type JsonTree, MAX_JSON_DEPTH, parsePlainJson } from '../json/free-form.ts';
import type { CoreAnswer, CoreClient } from './core-client.ts';
import { contactsOf, identityOf, isAmong, pathOf } from './identity.ts';
import { type Batch, type Outcome, type Queued, type Reject, rejectOf, type Target } from './outcome.ts';
import { ask, askUntilAnswered, objectIn, type Patience, refusal } from './patience.ts';
import type { FileUser } from './user-file.ts';

/** Entries of the queue that are asked for at once. */
const PAGE = 100;
/** By then a request without sender has taken effect or never will: 10,000 users take half of it on a slow machine. */
const AT_WORK_MS = 2_000;
/** Questions under way at the same time. */
const QUESTIONS = 16;

/**
 * Sends users to `POST /bulk-import/users` (contract 05 section 6.4), which takes all users of a request into its queue
 * or none. Where no answer came, the queue and the users show whether it did.
 */
export class CoreTarget implements Target {
  readonly name: string;
  readonly #client: CoreClient;
  readonly #patience: Patience;

  constructor(name: string, client: CoreClient, patience: Patience) {
    this.name = name;
    this.#client = client;
    this.#patience = patience;
  }

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async accept(batch: Batch): Promise<Outcome> {
    const { users } = batch;
    if (users.length === 0) return { status: 'accepted', rejects: [], queued: [] };
    const tooDeep = users.filter(isTooDeep);
    if (tooDeep.length > 0)
      return { status: 'refused', rejects: tooDeep.map((user) => rejectOf(user, ['It nests too deep for the core.'])) };
    const body = Buffer.from(`{"keepsNulls":true,"users":[${users.map(({ text }) => text).join(',')}]}`);
    for (;;) {
      const answer = await ask(this.#client, 'POST', '/bulk-import/users', body);
      if (!('reason' in answer)) {
        this.#patience.calm();
        return judge(answer, users);
      }
      await this.#patience.wait(answer);
      const known = answer.isNothingDone ? undefined : await this.recall(batch);
      if (known) return known;
    }
  }

  /**
   * A request that arrived has all its users in the queue or, later, imported; failed ones stay in the queue. So one
   * missing user says that it did not arrive, unless the core is still at work on it: hence two looks.
   */
  async recall(batch: Batch): Promise<Outcome | undefined> {
    const found = await this.#lookFor(batch);
    if (found || batch.users.length === 0) return found;
    await this.#patience.rest(AT_WORK_MS);
    return this.#lookFor(batch);
  }

  /** Looks at the queue first: users leave it only for the place that is looked at afterwards. */
  async #lookFor({ users }: Batch): Promise<Outcome | undefined> {
    const queued = await this.#inQueue(users);
    const missing = users.filter(({ at }) => !queued.has(at));
    for (let start = 0; start < missing.length; start += QUESTIONS) {
      const there = await Promise.all(missing.slice(start, start + QUESTIONS).map((user) => this.#isImported(user)));
      if (there.includes(false)) return undefined;
    }
    return { status: 'accepted', rejects: [], queued: [...queued].map(([at, id]) => ({ at, id })) };
  }

  /** Ids of the queue entries that hold these users, by their numbers in the file. */
  async #inQueue(users: readonly FileUser[]): Promise<Map<number, string>> {
    const wanted = new Map(users.map((user) => [identityOf(user.user), user.at]));
    const found = new Map<number, string>();
    for (let token: unknown = ''; typeof token === 'string' && found.size < users.length; ) {
      const query = `limit=${PAGE}${token === '' ? '' : `&paginationToken=${encodeURIComponent(token)}`}`;
      const page = await askUntilAnswered(this.#client, this.#patience, 'GET', `/bulk-import/users?${query}`);
      for (const entry of entriesOf(page['users'])) {
        const at = wanted.get(identityOf(entry));
        if (at !== undefined && !found.has(at)) found.set(at, entry.id);
      }
      token = page['nextPaginationToken'];
    }
    return found;
  }

  async #isImported({ user }: FileUser): Promise<boolean> {
    const [contact] = contactsOf(user);
    if (!contact) return false;
    for (;;) {
      const answer = await ask(this.#client, 'GET', pathOf(contact));
      // A user whose tenant does not exist, or who has no contact to ask for, was not taken over.
      if (!('reason' in answer)) return answer.status === 200 && isAmong(contact, objectIn(answer)['users']);
      await this.#patience.wait(answer);
    }
  }
}

/** Whether a user nests so deep that the core could not read the request, which adds two levels. */
function isTooDeep({ text }: FileUser): boolean {
  let brackets = 0;
  for (const character of ['{', '['])
    for (let at = text.indexOf(character); at >= 0 && brackets < MAX_JSON_DEPTH; at = text.indexOf(character, at + 1)) brackets += 1;
  if (brackets <= MAX_JSON_DEPTH - 2) return false;
  try {
    parsePlainJson(`[[${text}]]`);
    return false;
  } catch {
    return true;
  }
}

/** An entry of the queue as it is listed. */
export type Entry = JsonObject & { readonly id: string };

/** The entries in an answer of `GET /bulk-import/users`. */
export function entriesOf(users: JsonTree | undefined): Entry[] {
  const isEntry = (entry: JsonTree): entry is Entry => isJsonObject(entry) && typeof entry['id'] === 'string';
  return Array.isArray(users) ? users.filter(isEntry) : [];
}

/** What an answer to `POST /bulk-import/users` means for the users of the request. @throws ImportFault */
function judge(answer: CoreAnswer, users: readonly FileUser[]): Outcome {
  if (answer.status === 413) {
    const [only] = users;
    if (users.length > 1 || !only) return { status: 'too-large' };
    return { status: 'refused', rejects: [rejectOf(only, ['It is too large for the core.'])] };
  }
  if (answer.status === 400) {
    const rejects = offendersIn(answer, users);
    if (rejects.length > 0) return { status: 'refused', rejects };
  }
  if (answer.status !== 200) throw refusal(answer);
  return { status: 'accepted', rejects: [], queued: queuedIn(objectIn(answer)['users'], users) };
}

/** The users that an answer with 400 names (contract 05 section 6.4); none where it is about something else. */
function offendersIn(answer: CoreAnswer, users: readonly FileUser[]): Reject[] {
  if (!answer.text.trimStart().startsWith('{')) return [];
  const named = objectIn(answer)['users'];
  if (!Array.isArray(named)) return [];
  return named.filter(isJsonObject).flatMap(({ index, errors }) => {
    const user = typeof index === 'number' ? users[index] : undefined;
    return user ? [rejectOf(user, Array.isArray(errors) ? errors.map(String) : [])] : [];
  });
}

/** The queue's entries in the request's order. A core that does not name them names their first login methods' ids. */
function queuedIn(answered: JsonTree | undefined, users: readonly FileUser[]): Queued[] {
  if (!Array.isArray(answered)) return [];
  return users.flatMap(({ at }, place) => {
    const one = answered[place];
    const id = idIn(one, 'id') ?? idIn(one, 'userId') ?? idOfFirstMethod(one);
    return id === undefined ? [] : [{ at, id }];
  });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function idIn(value: JsonTree | undefined, name: string): string | undefined {
  const id = isJsonObject(value) ? value[name] : undefined;
  return typeof id === 'string' && UUID.test(id) ? id : undefined;
}

function idOfFirstMethod(value: JsonTree | undefined): string | undefined {
  const methods = isJsonObject(value) ? value['loginMethods'] : undefined;
  return Array.isArray(methods) ? idIn(methods[0], 'userId') : undefined;
}
