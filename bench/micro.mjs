// Micro-benchmarks of what the hot paths are made of, each beside the bare operation it stands on. Prints; writes nothing.
import { generateKeyPairSync, hash, pbkdf2Sync, randomBytes, randomUUID, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { Bench } from 'tinybench';
import { built } from './core.mjs';

const TIME_MS = 400;
const RECORDS = 10_000;
const IN_FLIGHT = 32;

/** Runs tasks of one group; the first is the limit. Answers rows for `console.table`, times in microseconds a call. */
async function group(name, tasks) {
  const bench = new Bench({ time: TIME_MS, warmupTime: 100 });
  for (const [task, run] of Object.entries(tasks)) bench.add(task, run);
  await bench.run();
  const cost = ({ name: task, result }) => {
    if (result.state !== 'completed') throw result.error ?? new Error(`${name}: ${task} was not measured`);
    return result.latency.mean * 1000;
  };
  const limit = cost(bench.tasks[0]);
  return bench.tasks.map((task) => ({
    group: name,
    task: task.name,
    µs: cost(task).toFixed(2),
    'limit / ours': (limit / cost(task)).toFixed(2),
  }));
}

async function storeTasks(directory) {
  const [{ openStore }, { defineCollection }] = await Promise.all([built('store/open-store.js'), built('store/collection.js')]);
  const users = defineCollection({
    id: 999,
    name: 'bench',
    scope: 'core',
    format: 1,
    fields: { id: 1, email: 2, hash: 3, count: 4 },
    key: (record) => [record.id],
    indexes: { byEmail: { id: 1, unique: true, keys: (record) => [[record.email]] } },
  });
  const record = (n) => ({ id: `user-${n}`, email: `user-${n}@example.com`, hash: 'f'.repeat(64), count: 0 });
  const store = await openStore({ engine: 'lmdb', path: join(directory, 'store') });
  await store.transact(async (transaction) => {
    for (let n = 0; n < RECORDS; n += 1) await transaction.insert(users, record(n));
  });
  const bare = open({ path: join(directory, 'bare'), encoding: 'binary', keyEncoding: 'binary' });
  for (let n = 0; n < RECORDS; n += 1) bare.put(Buffer.from(`user-${n}`), randomBytes(200));
  await bare.flushed;
  let n = 0;
  const key = () => `user-${(n += 7) % RECORDS}`;
  const stamped = store.read((reader) => reader.getSeen(users, ['user-1'], undefined));
  const manyTimes = (work) => () => Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const bareWrite = () => bare.transaction(() => bare.put(Buffer.from(key()), randomBytes(200))).then(() => bare.flushed);
  const write = () =>
    store.transact(async (transaction) => {
      const found = await transaction.get(users, [key()]);
      await transaction.put(users, { ...found, count: found.count + 1 });
    });
  return {
    reads: {
      'lmdb getBinary': () => bare.getBinary(Buffer.from(key())),
      'store get': () => store.read((reader) => reader.get(users, [key()])),
      'store getSeen, unchanged': () => store.read((reader) => reader.getSeen(users, ['user-1'], stamped)),
      'store find by unique index': () => store.read((reader) => reader.find(users, 'byEmail', [`${key()}@example.com`])),
    },
    writes: { 'lmdb transaction, durable': bareWrite, 'store transact, read and put': write },
    manyWrites: {
      [`lmdb, ${IN_FLIGHT} durable transactions in flight`]: manyTimes(bareWrite),
      [`store, ${IN_FLIGHT} in flight`]: manyTimes(write),
    },
    close: async () => {
      await store.close();
      await bare.close();
    },
  };
}

async function accessTokenTasks() {
  const [{ accessTokenInput, joinAccessToken }, { parseAccessToken, readAccessTokenPayload }, { verifyRs256 }] = await Promise.all([
    built('crypto/access-token.js'),
    built('crypto/access-token-reading.js'),
    built('crypto/rs256.js'),
  ]);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const now = Date.now();
  const claims = {
    version: '5',
    sessionHandle: randomUUID(),
    userId: randomUUID(),
    recipeUserId: randomUUID(),
    tenantId: 'public',
    refreshTokenHash1: 'a'.repeat(64),
    parentRefreshTokenHash1: null,
    antiCsrfToken: null,
    claims: '{"iss":"https://api.example.com/auth","st-ev":{"v":true,"t":1700000000000}}',
    expiryMs: now + 3_600_000,
    createdMs: now,
  };
  const { input } = accessTokenInput(claims, 'd-1700000000000');
  const signature = sign('sha256', Buffer.from(input), privateKey);
  const token = joinAccessToken('5', input, signature);
  const [header, payload] = token.split('.');
  const decode = (text) => JSON.parse(Buffer.from(text, 'base64url').toString());
  return {
    parse: {
      'decode and JSON.parse header and payload': () => [decode(header), decode(payload)],
      'parse and read an access token': () => readAccessTokenPayload(parseAccessToken(token).parts),
    },
    verify: {
      'node:crypto verify': () => verify('sha256', Buffer.from(input), publicKey, signature),
      verifyRs256: () => verifyRs256(publicKey, input, signature),
    },
    build: { 'JSON.stringify': () => JSON.stringify(claims), 'access token input': () => accessTokenInput(claims, 'd-1700000000000') },
  };
}

async function refreshTokenTasks() {
  const { newRefreshTokenMasterKey, openRefreshToken, sealRefreshToken } = await built('crypto/refresh-token.js');
  const master = newRefreshTokenMasterKey(randomBytes);
  const payload = {
    sessionHandle: randomUUID(),
    userId: randomUUID(),
    parentRefreshTokenHash1: 'b'.repeat(64),
    nonce: 'c'.repeat(64),
    antiCsrfToken: null,
    tenantId: 'public',
  };
  const token = sealRefreshToken(payload, master, randomBytes);
  return {
    'PBKDF2, 100 iterations': () => pbkdf2Sync(master, randomBytes(12), 100, 32, 'sha512'),
    'seal a refresh token': () => sealRefreshToken(payload, master, randomBytes),
    'open a refresh token': () => openRefreshToken(token, master),
  };
}

async function jsonTasks() {
  const [{ parseJson, toJsonText }, { stringifyAnswer }] = await Promise.all([built('json/free-form.js'), built('json/answer.js')]);
  const answer = { status: 'OK', session: { handle: randomUUID(), userId: randomUUID(), recipeUserId: randomUUID(), tenantId: 'public' } };
  const text = JSON.stringify({ ...answer, 'st-role': { v: ['admin', 'editor'], t: 1_700_000_000_000 } });
  const large = text.replace('1700000000000', '9007199254740993');
  return {
    read: {
      'JSON.parse': () => JSON.parse(text),
      parseJson: () => parseJson(text),
      'parseJson, lossless': () => parseJson(large),
      'parseJson and toJsonText': () => toJsonText(parseJson(text)),
    },
    write: { 'JSON.stringify': () => JSON.stringify(answer), stringifyAnswer: () => stringifyAnswer(answer) },
  };
}

/** A list of a million passwords, and look-ups of others in it. */
async function blocklistTasks(directory) {
  const [{ buildBlocklist }, { isOnList, openBlocklist }] = await Promise.all([
    built('blocklist/build.js'),
    built('blocklist/blocklist.js'),
  ]);
  const [list, file] = [join(directory, 'digests.txt'), join(directory, 'blocklist')];
  const count = 1_000_000;
  const digests = randomBytes(20 * count)
    .toString('hex')
    .toUpperCase();
  writeFileSync(list, digests.replace(/.{40}/g, '$&:123\r\n'));
  const before = performance.now();
  await buildBlocklist({ file, lists: [list], words: false, minCount: 1, falsePositives: 0.0001, progress: () => {} });
  console.log(`blocklist of ${count} digests: built in ${((performance.now() - before) / 1000).toFixed(2)} s`);
  const blocklist = openBlocklist(file);
  let n = 0;
  return {
    'SHA-1 of a password': () => hash('sha1', `password ${(n += 1)}`, 'buffer'),
    'look-up of a password': () => isOnList(blocklist, `password ${(n += 1)}`),
  };
}

async function main() {
  const directory = mkdtempSync(join(tmpdir(), 'watchword-micro-'));
  const { close, ...store } = await storeTasks(directory);
  try {
    const access = await accessTokenTasks();
    const json = await jsonTasks();
    const groups = {
      'store read': store.reads,
      'store write': store.writes,
      'store writes at once': store.manyWrites,
      'access token': access.parse,
      'access token signature': access.verify,
      'access token making': access.build,
      'refresh token': await refreshTokenTasks(),
      'JSON reading': json.read,
      'JSON writing': json.write,
      blocklist: await blocklistTasks(directory),
    };
    const rows = [];
    for (const [name, tasks] of Object.entries(groups)) rows.push(...(await group(name, tasks)));
    console.table(rows);
  } finally {
    await close();
    rmSync(directory, { recursive: true, force: true });
  }
}

await main();
