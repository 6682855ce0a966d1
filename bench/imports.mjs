// Users to be imported, and the requests that put them into the queue.
import { exchangeOnce } from './load/connection.mjs';
import { get, post } from './load/requests.mjs';

const HASH = '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
/** When the first of them joined, ms since the epoch; each of the others a millisecond later. */
export const JOINED_AT = 1_700_000_000_000;

/** Entries are taken at once, and without rests between rounds: what is measured is the work. */
export const AT_ONCE = { BULK_IMPORT_DELAY_MS: '0', BULK_MIGRATION_SLEEP_BETWEEN_ROUNDS_IN_BATCH_MS: '0' };

/** Users with a password hash and an external id each. @param run what tells them from those of other runs */
export function usersWithHashes(run, count) {
  return Array.from({ length: count }, (_, n) => ({
    externalUserId: `imported-${run}-${n}`,
    loginMethods: [
      {
        recipeId: 'emailpassword',
        email: `imported-${run}-${n}@example.com`,
        passwordHash: HASH,
        hashingAlgorithm: 'bcrypt',
        isVerified: true,
        timeJoinedInMSSinceEpoch: JOINED_AT + n,
      },
    ],
  }));
}

/** The request that puts them into the queue. */
export const upload = (users) => post('/bulk-import/users', { users });

/** Sends a request and throws where its answer is not OK. */
export async function send(port, bytes) {
  const { status, body } = await exchangeOnce(port, bytes);
  if (status !== 200) throw new Error(`${status} ${body.slice(0, 200)}`);
  return body;
}

/** Users in the queue with this status. */
export async function queued(port, status) {
  return JSON.parse(await send(port, get(`/bulk-import/users/count?status=${status}`))).count;
}

/** Resolves when nobody waits in the queue any more; throws when somebody could not be imported. */
export async function imported(port) {
  while ((await queued(port, 'NEW')) > 0) await new Promise((done) => setTimeout(done, 20));
  const failed = await queued(port, 'FAILED');
  if (failed > 0) throw new Error(`${failed} users could not be imported`);
}
