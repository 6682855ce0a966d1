// Anonymous memory of `watchword import` while it writes a file of a million users into a data folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { anonymousMegabytes, ROOT } from './core.mjs';
import { atMost } from './result.mjs';

const MOST_MEGABYTES = 250;
const SAMPLE_MS = 250;
/** A slow disk makes this slow; after so long it is given up. */
const LONGEST_MS = 40 * 60_000;

const HASH = '$2a$11$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';

function lineOf(number) {
  const method = {
    recipeId: 'emailpassword',
    email: `user-${number}@example.com`,
    passwordHash: HASH,
    hashingAlgorithm: 'bcrypt',
    isVerified: number % 2 === 0,
    timeJoinedInMSSinceEpoch: 1_600_000_000_000 + number,
  };
  return `${JSON.stringify({ externalUserId: `external-${number}`, userMetadata: { plan: 'pro', number }, loginMethods: [method] })}\n`;
}

async function writeUsers(path, count) {
  const stream = createWriteStream(path, { mode: 0o600 });
  for (let number = 0; number < count; ) {
    let text = '';
    for (const end = Math.min(count, number + 1000); number < end; number += 1) text += lineOf(number);
    if (!stream.write(text)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const count = stage.sizes.large;
  const folder = stage.emptyFolder('import-memory');
  const file = join(folder, 'users.ndjson');
  await writeUsers(file, count);
  const program = join(ROOT, 'dist', 'src', 'cli.js');
  const begun = performance.now();
  const child = spawn(process.execPath, [program, 'import', file, '--data-dir', join(folder, 'data')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LONGEST_MS,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2000);
  });
  let highest = 0;
  const timer = setInterval(() => {
    try {
      highest = Math.max(highest, anonymousMegabytes(child.pid));
    } catch {
      // It has just ended.
    }
  }, SAMPLE_MS);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  const seconds = (performance.now() - begun) / 1000;
  await rm(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the import ended with ${code}: ${said}`);
  return [
    atMost({
      what: `anonymous memory of \`watchword import\` of ${count.toLocaleString('en-US')} users with hashes`,
      values: [highest],
      unit: 'MB',
      most: MOST_MEGABYTES,
      note: `highest of all; ${Math.round(count / seconds).toLocaleString('en-US')} users/s in ${seconds.toFixed(0)} s`,
    }),
  ];
}
