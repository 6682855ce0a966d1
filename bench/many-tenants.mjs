// What requests cost that are spread over ten thousand tenants, against the same requests to one.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { askOnce } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { getOf, putTenant, signUpIn, writeRequests } from './load/requests.mjs';
import { alternate, atMostTimes } from './result.mjs';
import { withCore } from './stage.mjs';

const TENANTS = 10_000;
const CONNECTIONS = 64;
const CLIENTS = 16;
const SIGN_UPS = 5000;
const FACTOR = 1.3;
/** The least that bcrypt takes, so that the store and the tenants are what is measured. */
const CHEAP_HASHES = { BCRYPT_LOG_ROUNDS: '4' };

/** Ids of one length, so that answers have one length too. */
const tenantId = (n) => `tenant-${String(n).padStart(6, '0')}`;
const ONE = tenantId(0);

/** Every tenant once, in no order: gone through again and again, the worst that a cache can be asked. */
const shuffled = (count) =>
  Array.from({ length: count }, (_, n) => ({ n, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ n }) => tenantId(n));

const userOf = (run, n) => ({ email: `${run}-${String(n).padStart(6, '0')}@example.com`, password: 'correct horse' });

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const count = Math.round(TENANTS * stage.scale);
  const spread = shuffled(count);
  const folder = stage.emptyFolder('many-tenants-requests');
  const written = (name, requests) => {
    const file = join(folder, name);
    writeRequests(file, requests);
    return file;
  };
  return await withCore({ dataDir: stage.emptyFolder('many-tenants'), httpThreads: 1, env: CHEAP_HASHES }, async ({ port }) => {
    const send = (file) => askOnce('load/generator.mjs', { kind: 'replayOnce', port, file, connections: CLIENTS });
    stage.say(`creating ${count.toLocaleString('en-US')} tenants`);
    await send(written('tenants', spread.map(putTenant)));

    /** Users who do not exist yet, in the tenant that is told for each; µs each. */
    const signUps = async (tenantOf, amount, run = randomBytes(6).toString('hex')) => {
      const requests = Array.from({ length: amount }, (_, n) => signUpIn(tenantOf(n), userOf(run, n)));
      return 1e6 / (await send(written('sign-ups', requests))).perSecond;
    };
    const everywhere = (n) => spread[n % count];
    // A user in each of the many tenants, and as many in the one.
    await signUps(everywhere, count, 'known');
    await signUps(() => ONE, count, 'other');
    const lookUps = (name, tenantOf, run) =>
      written(
        name,
        Array.from({ length: count }, (_, n) =>
          getOf(tenantOf(n), `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${userOf(run, n).email}`),
        ),
      );
    const files = { one: lookUps('one', () => ONE, 'other'), all: lookUps('all', everywhere, 'known') };
    const { bytes: answerBytes } = await sample(
      port,
      getOf(ONE, `/users/by-accountinfo?doUnionOfAccountInfo=false&email=${userOf('other', 1).email}`),
    );
    const lookUpCost = async (file, seconds = stage.seconds(3)) =>
      1e6 / (await replay({ port, file, connections: CONNECTIONS, seconds, answerBytes })).perSecond;
    for (const file of Object.values(files)) await lookUpCost(file, 1);

    const amount = Math.round(SIGN_UPS * Math.max(0.25, stage.scale));
    const rounds = stage.rounds(5);
    const found = await alternate(
      rounds,
      () => lookUpCost(files.one),
      () => lookUpCost(files.all),
    );
    const signedUp = await alternate(
      rounds,
      () => signUps(() => ONE, amount),
      () => signUps(everywhere, amount),
    );
    const row = { limitName: 'in one tenant', unit: 'µs', factor: FACTOR };
    const where = `spread over ${count.toLocaleString('en-US')} tenants`;
    return [
      atMostTimes({ what: `cost of finding a user by email, ${where}`, ...row, ...found }),
      atMostTimes({ what: `cost of sign-up, ${where}, hash cost set to minimum`, ...row, ...signedUp }),
    ];
  });
}
