// What benches with many stored users share.
import { askOnce, startCore } from './core.mjs';
import { Connection } from './load/connection.mjs';
import { get } from './load/requests.mjs';

const WARM_UP = 20;
/** Different far pages, one after the other. */
const FAR_PAGES = 20;

/** Milliseconds of each of several GETs, one after the other, the paths of each kind in turn. */
export async function timesOf(port, kinds, count) {
  const connection = await Connection.open(port);
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (let n = -WARM_UP; n < count; n += 1) {
    for (const [kind, pathOf] of Object.entries(kinds)) {
      const bytes = get(pathOf(n + WARM_UP));
      const begun = performance.now();
      const { status, body } = await connection.exchange(bytes);
      if (n >= 0) times[kind].push(performance.now() - begun);
      if (status !== 200 || !body.includes('"status":"OK"')) throw new Error(`${status} ${body.slice(0, 200)}`);
    }
  }
  connection.close();
  return times;
}

/**
 * A folder with so many users, and the tokens of its far pages.
 * @param {{ page?: number, plans?: number }} options the first far page; among how many plans the metadata of all users choose
 */
export async function seeded(stage, name, users, { page = 1, plans = 0 } = {}) {
  const dataDir = stage.emptyFolder(name);
  // The core itself makes its tenants and keys.
  await (await startCore({ dataDir, httpThreads: 1 })).stop();
  stage.say(`storing ${users.toLocaleString('en-US')} users`);
  const { seconds, tokens } = await askOnce('seed-users.mjs', { dataDir, users, page, pages: FAR_PAGES, plans });
  stage.say(`stored in ${seconds.toFixed(0)} s`);
  return { dataDir, tokens };
}
