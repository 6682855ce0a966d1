// How long a wrong password takes for those who have an account, and for those who have none: it must tell nobody which is which.
import { Connection } from './load/connection.mjs';
import { signIn } from './load/requests.mjs';
import { between } from './result.mjs';
import { withCore } from './stage.mjs';
import { makeUsers } from './users.mjs';

/** Different accounts, so that nothing that is remembered of one makes the rest faster. */
const USERS = 16;
const WARM_UP = 4;
/** Sign-ins of each kind: some 15 seconds in all. */
const SIGN_INS = 50;
const WRONG = '"status":"WRONG_CREDENTIALS_ERROR"';

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = stage.emptyFolder('timing');
  return await withCore({ dataDir }, async ({ port }) => {
    const users = await makeUsers(port, USERS);
    const connection = await Connection.open(port);
    const times = { known: [], unknown: [] };
    const count = Math.max(20, Math.round(SIGN_INS * stage.scale));
    for (let n = -WARM_UP; n < count; n += 1) {
      const { email } = users.at(n % USERS);
      const emails = { known: email, unknown: `nobody-${email}` };
      // One after the other, and each of them first half of the time: a shared machine changes its mind.
      for (const kind of n % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known']) {
        const ms = await timeOf(connection, emails[kind]);
        if (n >= 0) times[kind].push(ms);
      }
    }
    connection.close();
    return [
      between({
        what: 'sign-in of unknown / known users',
        limitName: 'a wrong password of a known user',
        limits: times.known,
        ours: times.unknown,
        unit: 'ms',
        least: 0.95,
        most: 1.05,
      }),
    ];
  });
}

async function timeOf(connection, email) {
  const bytes = signIn({ email, password: 'not the password' });
  const begun = performance.now();
  const { status, body } = await connection.exchange(bytes);
  const ms = performance.now() - begun;
  if (status !== 200 || !body.includes(WRONG)) throw new Error(`${status} ${body.slice(0, 200)}`);
  return ms;
}
