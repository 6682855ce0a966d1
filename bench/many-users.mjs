// What lists, searches, sign-ups and sign-ins cost with many users stored.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { askOnce } from './core.mjs';
import { signIn, signUp, writeRequests } from './load/requests.mjs';
import { alternate, atMost, atMostTimes, median } from './result.mjs';
import { seeded, timesOf } from './seeded-users.mjs';
import { withCore } from './stage.mjs';
import { makeUsers } from './users.mjs';

const PAGE = 100;
const FAR_PAGE = 5000;
const REQUESTS = 200;
const SLOWEST_MS = 5;
const PAGES_FACTOR = 1.5;
/** With a million users, fifteen or so begin with four hexadecimal digits. */
const PREFIX_LENGTH = 4;

const CLIENTS = 16;
const SIGN_UPS = 2000;
const GROWTH_FACTOR = 1.3;
/** The least that bcrypt takes, so that the store is what is measured. */
const CHEAP_HASHES = { BCRYPT_LOG_ROUNDS: '4' };

/** Sign-ups of users who do not exist yet, in µs each. */
async function signUpCost({ port, directory }, count) {
  const file = join(directory, 'sign-ups');
  const run = randomBytes(6).toString('hex');
  writeRequests(
    file,
    Array.from({ length: count }, (_, n) => signUp({ email: `${run}-${n}@example.com`, password: `correct horse ${n}` })),
  );
  return 1e6 / (await askOnce('load/generator.mjs', { kind: 'replayOnce', port, file, connections: CLIENTS })).perSecond;
}

async function signInCost({ port, signIns }) {
  return 1e6 / (await askOnce('load/generator.mjs', { kind: 'replayOnce', port, file: signIns, connections: CLIENTS })).perSecond;
}

/** Users of a running core whose passwords are known, as a file of sign-ins. */
async function withKnownUsers(stage, name, { port }, count) {
  const directory = stage.emptyFolder(`${name}-requests`);
  const signIns = join(directory, 'sign-ins');
  writeRequests(signIns, (await makeUsers(port, count)).map(signIn));
  return { port, directory, signIns };
}

async function listRows(stage, port, { tokens, far, most }) {
  const randomPrefix = () => randomBytes(PREFIX_LENGTH).toString('hex').slice(0, PREFIX_LENGTH);
  const count = Math.round(REQUESTS * Math.max(0.5, stage.scale));
  const { first, later, search } = await timesOf(
    port,
    {
      first: () => `/users?limit=${PAGE}`,
      later: (n) => `/users?limit=${PAGE}&paginationToken=${encodeURIComponent(tokens[n % tokens.length])}`,
      search: () => `/users?email=${randomPrefix()}`,
    },
    count,
  );
  const what = `\`GET /users\` page of ${PAGE} at ${most} users`;
  const nth = `${far.toLocaleString('en-US')}th page`;
  const limits = { unit: 'ms', most: SLOWEST_MS };
  return [
    atMost({ what: `${what}, first page`, values: first, ...limits }),
    atMost({ what: `${what}, ${nth}`, values: later, ...limits }),
    atMostTimes({
      what: `${what}, the slower one of the two`,
      limitName: 'the faster one',
      limits: median(first) < median(later) ? first : later,
      ours: median(first) < median(later) ? later : first,
      unit: 'ms',
      factor: PAGES_FACTOR,
    }),
    atMost({ what: `search by email prefix at ${most} users`, values: search, ...limits }),
  ];
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const { small, large } = stage.sizes;
  const [least, most] = [small, large].map((size) => size.toLocaleString('en-US'));
  // A quick run has fewer users; then it is the page in the middle.
  const far = Math.min(FAR_PAGE, Math.floor(large / PAGE / 2));
  const stores = { small: await seeded(stage, 'few-users', small), large: await seeded(stage, 'many-users', large, { page: far }) };
  const options = { httpThreads: 1, env: CHEAP_HASHES };
  return await withCore({ dataDir: stores.small.dataDir, ...options }, (few) =>
    withCore({ dataDir: stores.large.dataDir, ...options }, async (many) => {
      const rows = await listRows(stage, many.port, { tokens: stores.large.tokens, far, most });
      const count = Math.round(SIGN_UPS * Math.max(0.25, stage.scale));
      const targets = {
        small: await withKnownUsers(stage, 'few-users', few, count),
        large: await withKnownUsers(stage, 'many-users', many, count),
      };
      const compare = (cost) =>
        alternate(
          stage.rounds(5),
          () => cost(targets.small, count),
          () => cost(targets.large, count),
        );
      const row = { limitName: `at ${least} users`, unit: 'µs', factor: GROWTH_FACTOR };
      const note = 'hash cost set to minimum';
      return [
        ...rows,
        atMostTimes({ what: `cost of sign-up at ${most} users, ${note}`, ...row, ...(await compare(signUpCost)) }),
        atMostTimes({ what: `cost of sign-in at ${most} users, ${note}`, ...row, ...(await compare(signInCost)) }),
      ];
    }),
  );
}
