// How fast a move of a SuperTokens database is, how long the old core is stopped for its last pass, and how much memory it takes.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { anonymousMegabytes, askOnce, ROOT } from './core.mjs';
import { programs, startPostgres } from './private-postgres.mjs';
import { atLeast, atMost } from './result.mjs';

const BAR = 0.35;
const MOST_SECONDS = 5;
const MOST_MEGABYTES = 250;
const SAMPLE_MS = 250;
/** Users in one commit of a move: two records of each, in batches of 2,000 (`move-group.ts`). */
const IDS_AT_ONCE = 2000;
const CHANGED = 1000;

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

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const count = stage.sizes.large;
  const many = count.toLocaleString('en-US');
  const server = await oldCore();
  const seed = join(ROOT, 'bench', 'seed-reference.sql');
  try {
    stage.say(`making a database of ${many} users`);
    server.psql(['-v', `users=${count}`, '-v', 'sessions=0', '-f', seed]);
    const folder = stage.emptyFolder('moved');
    const [limits, ours, memory] = [[], [], []];
    for (let round = 0; round < stage.rounds(3); round += 1) {
      const dataDir = join(folder, 'data');
      rmSync(dataDir, { recursive: true, force: true });
      const moved = await migrate(server.url, dataDir);
      // Without what is noted of the move, which the limit does not write.
      await migrate(server.url, dataDir, '--finish', '--yes');
      const { seconds } = await askOnce('limits/commit-bytes.mjs', { from: dataDir, to: join(folder, 'bare'), ids: IDS_AT_ONCE });
      limits.push(count / (copyRows(server) + seconds));
      ours.push(count / moved.seconds);
      memory.push(moved.megabytes);
    }
    const what = `move of ${many} users with hashes from a SuperTokens database to the embedded store`;
    const limitName = 'COPY of the same rows, then the same entries in grouped commits';
    const speed = atLeast({ what, limitName, limits, ours, unit: 'users/s', atLeast: BAR });
    const { last, most } = await cutOver(stage, server, folder, count);
    return [
      speed,
      atMost({
        what: `last pass of a move, ${CHANGED.toLocaleString('en-US')} rows changed, added or deleted of ${many} users and ${many} sessions`,
        values: last,
        unit: 's',
        most: MOST_SECONDS,
        note: 'from the first statement until cores may start',
      }),
      atMost({ what: 'anonymous memory of a move', values: [Math.max(...memory, most)], unit: 'MB', most: MOST_MEGABYTES }),
    ];
  } finally {
    await server.stop();
  }
}

async function cutOver(stage, server, folder, count) {
  stage.say('adding sessions');
  server.psql([
    '-c',
    'DROP TABLE apps, tenants, tenant_configs, key_value, app_id_to_user_id, all_auth_recipe_users, emailpassword_users, session_info',
  ]);
  server.psql(['-v', `users=${count}`, '-v', `sessions=${count}`, '-f', join(ROOT, 'bench', 'seed-reference.sql')]);
  const dataDir = join(folder, 'with-sessions');
  const { megabytes } = await migrate(server.url, dataDir);
  changeRows(server);
  const { seconds } = await migrate(server.url, dataDir, '--finish', '--yes');
  return { last: [seconds], most: megabytes };
}
