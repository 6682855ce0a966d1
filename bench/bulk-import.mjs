// A bulk import of 10,000 users: until the request is answered, and until the last of them can be seen.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AT_ONCE, imported, send, upload, usersWithHashes } from './imports.mjs';
import { askOnce } from './core.mjs';
import { alternate, atLeast, median } from './result.mjs';
import { withCore } from './stage.mjs';

const USERS = 10_000;
/** Imported before, so that V8 has compiled the most of it. */
const WARM_UP_USERS = 2_000;
const LEAST_PER_SECOND = 3000;
const ACCEPTED = 'POST /bulk-import/users with 10,000 users, accepted durably';

async function seconds(work) {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}

/** Uploads while nothing is imported, each into a core of its own queue. */
async function accepted(stage) {
  const folder = stage.emptyFolder('bulk-accepted');
  const body = join(folder, 'body.json');
  writeFileSync(body, JSON.stringify({ users: usersWithHashes('limit', USERS) }));
  const env = { BULK_MIGRATION_CRON_ENABLED: 'false' };
  return await withCore({ dataDir: join(folder, 'ours'), env }, async ({ port }) => {
    let run = 0;
    const limit = async () =>
      (await askOnce('limits/bulk-import.mjs', { kind: 'parse', body, dataDir: mkdtempSync(join(folder, 'limit-')), users: USERS }))
        .perSecond;
    const ours = async () => {
      const request = upload(usersWithHashes(`accepted-${(run += 1)}`, USERS));
      return 1 / (await seconds(() => send(port, request)));
    };
    // The thread that reads uploads is started by the first one, and keeps running while others come.
    await ours();
    const measured = await alternate(stage.rounds(5), limit, ours);
    return atLeast({
      what: ACCEPTED,
      limitName: 'JSON.parse and one commit of the same bytes as so many records',
      ...measured,
      unit: 'per s',
      atLeast: 0.4,
    });
  });
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const folder = stage.emptyFolder('bulk-import');
  const limits = [];
  const ours = [];
  for (let round = 0; round < stage.rounds(3); round += 1) {
    const dataDir = mkdtempSync(join(folder, 'ours-'));
    const taken = await withCore({ dataDir, env: AT_ONCE }, async ({ port }) => {
      await send(port, upload(usersWithHashes('warm-up', WARM_UP_USERS)));
      await imported(port);
      const request = upload(usersWithHashes('measured', USERS));
      return await seconds(async () => {
        await send(port, request);
        await imported(port);
      });
    });
    ours.push(USERS / taken);
    // The records that both left behind, written again with nothing around it.
    const job = { kind: 'records', from: dataDir, dataDir: mkdtempSync(join(folder, 'limit-')), users: USERS + WARM_UP_USERS };
    limits.push((await askOnce('limits/bulk-import.mjs', job)).perSecond);
  }
  const result = atLeast({
    what: 'bulk import of 10,000 users with hashes, one request, to the last user visible',
    limitName: 'the same records and bytes through grouped store commits alone',
    limits,
    ours,
    unit: 'users/s',
    atLeast: 0.4,
    note: `also at least ${LEAST_PER_SECOND.toLocaleString('en-US')} users/s; picked up at once (bulk_import_delay_ms and the rest between rounds are 0)`,
  });
  return [{ ...result, met: result.met && median(ours) >= LEAST_PER_SECOND }, await accepted(stage)];
}
