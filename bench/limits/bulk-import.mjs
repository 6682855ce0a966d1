// The limits of bulk imports: the records that an import leaves behind, or the bytes of an upload, through commits of the built store alone.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { answerOnce, built } from '../core.mjs';
import { JOINED_AT } from '../imports.mjs';

const PAGE = 1000;
/** Records of about a hundred users. */
const RECORDS_PER_COMMIT = 500;
const IN_FLIGHT = 3;

async function everyRecord(store, collections) {
  const records = [];
  for (const collection of collections) {
    for (let from; ; ) {
      const page = await store.read((reader) => reader.list(collection, undefined, { prefix: [], limit: PAGE, ...(from && { from }) }));
      for (const record of page) records.push({ collection, record });
      if (page.length < PAGE) break;
      from = [...collection.key(page.at(-1)), 0];
    }
  }
  return records;
}

/** The place of the user to whom a record belongs: its email and its external id end in it, and it joined so many ms after the first. */
function placeOf({ record }) {
  const [, named] = /imported-[\w-]+-(\d+)/.exec(JSON.stringify(record)) ?? [];
  return named === undefined ? record.timeJoined - JOINED_AT : Number(named);
}

async function writeRecords({ from, dataDir, users }) {
  const [{ openStore }, { COLLECTIONS }] = await Promise.all([built('store/open-store.js'), built('recipes/recipes.js')]);
  const source = await openStore({ engine: 'lmdb', path: from });
  const records = await everyRecord(
    source,
    COLLECTIONS.filter(({ scope }) => scope !== 'core'),
  );
  await source.close();
  // User by user, as they come: in the order of their keys, which begin with random ids, would be another, cheaper job.
  records.sort((a, b) => placeOf(a) - placeOf(b));
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const before = performance.now();
  let at = 0;
  const commits = async () => {
    while (at < records.length) {
      const mine = records.slice(at, (at += RECORDS_PER_COMMIT));
      await store.transact(async (tx) => {
        for (const { collection, record } of mine) await tx.insert(collection, record);
      });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, commits));
  const perSecond = users / ((performance.now() - before) / 1000);
  await store.close();
  return { perSecond, records: records.length };
}

async function parseAndCommit({ body, dataDir, users }) {
  const [{ openStore }, { queueEntries }] = await Promise.all([built('store/open-store.js'), built('recipes/bulk-import/records.js')]);
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const bytes = readFileSync(body);
  const share = Math.floor(bytes.length / users);
  const before = performance.now();
  const parsed = JSON.parse(bytes.toString());
  await store.transact(async (tx) => {
    for (const n of parsed.users.keys()) {
      const user = bytes.subarray(n * share, (n + 1) * share);
      await tx.insert(queueEntries, { app: 1, id: randomUUID(), status: 'NEW', createdAt: n, updatedAt: n, user });
    }
  });
  const perSecond = 1 / ((performance.now() - before) / 1000);
  await store.close();
  return { perSecond };
}

const KINDS = { records: writeRecords, parse: parseAndCommit };

answerOnce((job) => KINDS[job.kind](job));
