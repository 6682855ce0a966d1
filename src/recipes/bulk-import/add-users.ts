import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadUpload, UploadedUsers, UploadRules } from '../../crypto/upload.ts';
import type { Store } from '../../store/store.ts';
import type { Context, Tenant } from '../context.ts';
import { tenantIdsOf } from '../multitenancy/list-tenants.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_TENANT_ID, SCOPES } from '../scope.ts';
import { listRoles } from '../user-roles/list-roles.ts';
import { type QueueEntry, queueEntries } from './records.ts';

const ID_LENGTH = 36;
/** Entries that are made in one turn of the event loop: a millisecond or two. */
const A_TURN = 200;

/**
 * `POST /bulk-import/users` (contract 05 section 6.4): all users of the body enter the queue, or none. The body is read by another
 * thread. Only what is wrong with it as a whole, or that it has no users, is told before the app is looked for. Answers the finished JSON.
 */
export async function addUsers(context: Context): Promise<Uint8Array> {
  const { store, crypto, directory, address, traits, rawBody, now } = context;
  const app = await directory.find({ ...address, tenantId: DEFAULT_TENANT_ID });
  const read = await crypto.readUpload(rawBody ?? new Uint8Array(0), await rulesFor(store, app, now()));
  if (read.kind !== 'users' && read.kind !== 'invalid') throw refusalOf(read);
  if (read.kind === 'users' && read.count === 0) return read.answer;
  const found = await SCOPES.app(address, traits, directory);
  if (read.kind === 'invalid') throw refusalOf(read);
  await keep(store, found.app, read, now);
  return read.answer;
}

async function rulesFor(store: Store, app: Tenant | undefined, now: number): Promise<UploadRules> {
  if (!app) return { roles: [], tenantIds: [], hasSignerKey: true, now };
  const [roles, tenantIds] = await Promise.all([listRoles({ store, tenant: app }), tenantIdsOf(store, app)]);
  return { roles, tenantIds: [...tenantIds.values()], hasSignerKey: app.appConfig.firebase_password_hashing_signer_key !== null, now };
}

function refusalOf(read: Exclude<ReadUpload, UploadedUsers>): Refusal {
  if ('text' in read) return new Refusal('bad-input', { text: read.text });
  if (read.kind === 'too-large') return new Refusal('body-too-large');
  return read.kind === 'not-json' ? new Refusal('invalid-json') : new Refusal('field-invalid', { field: 'users' });
}

/** One transaction for all, so that nobody sees a half of them; other requests have their turn while it is made. */
function keep(store: Store, app: number, users: UploadedUsers, now: () => number): Promise<void> {
  return store.transact(async (tx) => {
    let last = 0;
    for (let n = 0; n < users.count; n++) {
      // A clock that is set back must not change the order.
      last = Math.max(last, now());
      await tx.insert(queueEntries, entryOf(users, n, app, last));
      if (n % A_TURN === A_TURN - 1) await nextTurn();
    }
  });
}

function entryOf({ ids, texts, ends }: UploadedUsers, n: number, app: number, createdAt: number): QueueEntry {
  const [start = 0, middle = 0, end = 0] = [ends[n * 2 - 1], ends[n * 2], ends[n * 2 + 1]];
  return {
    app,
    id: ids.slice(n * ID_LENGTH, (n + 1) * ID_LENGTH),
    status: 'NEW',
    createdAt,
    updatedAt: createdAt,
    user: texts.subarray(start, middle),
    ...(end > middle && { metadata: texts.subarray(middle, end) }),
  };
}
