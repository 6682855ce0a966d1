// What operators wait for when they look for a user among many.
import { randomBytes } from 'node:crypto';
import { atMost } from './result.mjs';
import { seeded, timesOf } from './seeded-users.mjs';
import { withCore } from './stage.mjs';

const FIND = '/manage/v1/users';
const REQUESTS = 200;
const SLOWEST_MS = 20;
/** With a million users, fifteen or so begin with four hexadecimal digits, and with one digit more than a page holds. */
const FEW = 4;
const MANY = 1;
/** So many users of a million have the same one. */
const USERS_OF_A_PLAN = 100;

const hex = (length) => randomBytes(length).toString('hex').slice(0, length);

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const users = stage.sizes.large;
  const plans = Math.ceil(users / USERS_OF_A_PLAN);
  const { dataDir } = await seeded(stage, 'found-users', users, { plans });
  return withCore({ dataDir, httpThreads: 1, env: { METADATA_SEARCH_KEYS: 'plan' } }, async ({ port }) => {
    const kinds = {
      'email prefix, few of it': () => `${FIND}?email=${hex(FEW)}`,
      'email prefix, a full page': () => `${FIND}?email=${hex(MANY)}`,
      'id prefix': () => `${FIND}?id=${hex(MANY)}`,
      'provider prefix': () => `${FIND}?provider=google::${Math.floor(Math.random() * 9) + 1}`,
      'metadata value': () => `${FIND}?metadataKey=plan&metadataValue=plan-${Math.floor(Math.random() * plans)}`,
    };
    const times = await timesOf(port, kinds, Math.round(REQUESTS * Math.max(0.5, stage.scale)));
    const many = users.toLocaleString('en-US');
    return Object.entries(times).map(([kind, values]) =>
      atMost({ what: `\`GET ${FIND}\` by ${kind}, at ${many} users`, values, unit: 'ms', most: SLOWEST_MS }),
    );
  });
}
