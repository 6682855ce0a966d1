// How fast a move of a SuperTokens database is, how long the old core is stopped for its last pass, and how much memory it takes.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { anonymousMegabytes, askOnce, built, ROOT } from './core.mjs';
import { programs, startPostgres } from './private-postgres.mjs';
import { atLeast, atMost, median } from './result.mjs';

const BAR = 0.35;
const MOST_SECONDS = 5;
const MOST_MEGABYTES = 250;
const SAMPLE_MS = 250;
/** Users in one commit of a move: two records of each, in batches of 2,000 (`move-group.ts`). */
const IDS_AT_ONCE = 2000;
const CHANGED = 1000;
/** What a further million adds is told by a last pass over so many times fewer rows. */
const FEWER = 4;
/** From so many users on, a round takes minutes, and one is enough. */
const LONG = 500_000;

const CLI = join(ROOT, 'dist', 'src', 'cli.js');
const USER_TABLES = ['app_id_to_user_id', 'all_auth_recipe_users', 'emailpassword_users'];

/** Runs a move; answers seconds and the most anonymous memory. */
async function migrate(url, dataDir, ...flags) {
  const begun = performance.now();
  const child = spawn(process.execPath, [CLI, 'migrate', '--from', url, '--to', dataDir, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2000);
  });
  let megabytes = 0;
  const timer = setInterval(() => {
    try {
      megabytes = Math.max(megabytes, anonymousMegabytes(child.pid));
    } catch {
      // It has just ended.
    }
  }, SAMPLE_MS);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the move ended with ${code}: ${said}`);
  // What is noted of a move is removed while cores serve already.
  const [, seconds] = /finished after ([\d.]+) s/.exec(said) ?? [undefined, (performance.now() - begun) / 1000];
  return { seconds: Number(seconds), megabytes };
}

/** The database server of an old core, and what runs SQL in it. */
async function oldCore() {
  const server = await startPostgres();
  const psql = (args) =>
    execFileSync(join(programs(), 'psql'), ['-X', '-q', '-At', '-v', 'ON_ERROR_STOP=1', ...args, server.url], { encoding: 'utf8' });
  return { ...server, psql };
}

/** Seconds of `COPY … TO` for what a move reads of users. */
function copyRows({ psql }) {
  const begun = performance.now();
  for (const table of USER_TABLES) psql(['-c', `COPY ${table} TO '/dev/null'`]);
  return (performance.now() - begun) / 1000;
}

/** Changes, additions and deletions of users and sessions, so many rows in all. */
function changeRows({ psql }) {
  const some = CHANGED / 5;
  psql([
    '-c',
    `WITH picked AS (SELECT session_handle FROM session_info ORDER BY md5(session_handle) LIMIT ${some})
       DELETE FROM session_info s USING picked WHERE s.session_handle = picked.session_handle;
     WITH picked AS (SELECT session_handle FROM session_info ORDER BY md5('x' || session_handle) LIMIT ${some * 2})
       UPDATE session_info s SET refresh_token_hash_2 = md5(s.session_handle) FROM picked WHERE s.session_handle = picked.session_handle;
     WITH picked AS (SELECT user_id FROM emailpassword_users ORDER BY md5(user_id::text) LIMIT ${some})
       UPDATE emailpassword_users u SET email = 'new-' || email FROM picked WHERE u.user_id = picked.user_id;
     INSERT INTO session_info (session_handle, user_id, refresh_token_hash_2, expires_at, created_at_time, use_static_key)
       SELECT md5('new' || i)::uuid::text, 'somebody', md5('n' || i), 9000000000000, 1, false FROM generate_series(1, ${some}) i`,
  ]);
}

/** Fills the old core's database, in place of what it held. */
function seed({ psql }, users, sessions) {
  psql(['-c', 'SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public']);
  psql(['-v', `users=${users}`, '-v', `sessions=${sessions}`, '-f', join(ROOT, 'bench', 'seed-reference.sql')]);
}

/** Users a second of a copy and of its limit, in turn, with the most memory of a copy. */
async function copies(stage, server, count) {
  stage.say(`making a database of ${count} users`);
  seed(server, count, 0);
  const folder = stage.emptyFolder('moved');
  const { MOVE_COLLECTIONS } = await built('transfer/migrate/records.js');
  const measured = { limits: [], ours: [], megabytes: 0 };
  for (let round = 0; round < (count < LONG ? stage.rounds(3) : 1); round += 1) {
    const dataDir = join(folder, 'data');
    rmSync(dataDir, { recursive: true, force: true });
    const moved = await migrate(server.url, dataDir);
    // Without what is noted of the move, which the limit does not write.
    const without = MOVE_COLLECTIONS.map(({ id }) => id);
    const asked = { from: dataDir, to: join(folder, 'bare'), ids: IDS_AT_ONCE, without };
    const { seconds } = await askOnce('limits/commit-bytes.mjs', asked);
    const copy = copyRows(server);
    stage.say(`copy ${moved.seconds.toFixed(1)} s; its limit ${copy.toFixed(1)} s to read and ${seconds.toFixed(1)} s to write`);
    measured.limits.push(count / (copy + seconds));
    measured.ours.push(count / moved.seconds);
    measured.megabytes = Math.max(measured.megabytes, moved.megabytes);
  }
  rmSync(folder, { recursive: true, force: true });
  return measured;
}

/** Copies so many users and as many sessions, changes some, and measures the last pass. */
async function lastPasses(stage, server, count) {
  stage.say(`making a database of ${count} users and ${count} sessions`);
  seed(server, count, count);
  const folder = stage.emptyFolder('with-sessions');
  const [copy, finished] = [join(folder, 'copy'), join(folder, 'finished')];
  const copied = await migrate(server.url, copy);
  changeRows(server);
  const seconds = [];
  let { megabytes } = copied;
  for (let round = 0; round < stage.rounds(2); round += 1) {
    rmSync(finished, { recursive: true, force: true });
    cpSync(copy, finished, { recursive: true });
    const last = await migrate(server.url, finished, '--finish', '--yes');
    seconds.push(last.seconds);
    megabytes = Math.max(megabytes, last.megabytes);
  }
  stage.say(`copied in ${copied.seconds.toFixed(1)} s; last passes of ${seconds.join(' and ')} s`);
  rmSync(folder, { recursive: true, force: true });
  return { seconds, copied: copied.seconds, megabytes };
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const count = stage.sizes.large;
  const many = count.toLocaleString('en-US');
  const server = await oldCore();
  try {
    const { limits, ours, megabytes } = await copies(stage, server, count);
    const fewer = await lastPasses(stage, server, count / FEWER);
    const whole = await lastPasses(stage, server, count);
    const further = ((median(whole.seconds) - median(fewer.seconds)) * 1_000_000) / (count - count / FEWER);
    const both = `${many} users and ${many} sessions`;
    return [
      atLeast({
        what: `move of ${many} users with hashes from a SuperTokens database to the embedded store`,
        limitName: 'COPY of the same rows, then the same entries in grouped commits',
        limits,
        ours,
        unit: 'users/s',
        atLeast: BAR,
      }),
      atMost({
        what: `last pass of a move, ${CHANGED.toLocaleString('en-US')} rows changed, added or deleted of ${both}`,
        values: whole.seconds,
        unit: 's',
        most: MOST_SECONDS,
        note: `from the first statement until cores may start; ${median(fewer.seconds).toFixed(1)} s with a quarter of both, so ${further.toFixed(1)} s for each further million of both`,
      }),
      atMost({
        what: 'anonymous memory of a move',
        values: [Math.max(megabytes, fewer.megabytes, whole.megabytes)],
        unit: 'MB',
        most: MOST_MEGABYTES,
        note: `the copy of ${both} took ${whole.copied.toFixed(0)} s`,
      }),
    ];
  } finally {
    await server.stop();
  }
}
