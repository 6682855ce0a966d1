import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { KEY } from '../cli/places.ts';
import { addOperator } from '../recipes/admin/browser.ts';
import { PROJECT_ROOT, startCore } from '../running-core.ts';

export const USERS = 100_000;
export const ROLES = ['viewer', 'support', 'admin'] as const;
export type Role = (typeof ROLES)[number];
export const emailOf = (role: Role): string => `${role}@example.com`;

const STALE_LOCK_MS = 120_000;
const CACHE = join(PROJECT_ROOT, '.tmp');
const PREFIX = 'admin-seed-';
/** One for each build, as a build may keep records in another way. */
const seedFolder = (): string => {
  const build = createHash('sha256')
    .update(readFileSync(join(PROJECT_ROOT, 'dist', 'stamp.txt')))
    .digest('hex')
    .slice(0, 16);
  return join(CACHE, PREFIX + build);
};

/** The n-th user's email: random letters, then a host among a thousand. */
export const emailOfUser = (n: number): string =>
  `${createHash('sha256').update(String(n)).digest('hex').slice(0, 12)}@example-${n % 1000}.com`;

/** A folder of its own with 100,000 users and an operator of each role; the first who asks makes what the others copy. */
export async function seededFolder(): Promise<string> {
  const seed = seedFolder();
  mkdirSync(CACHE, { recursive: true });
  const lock = `${seed}.lock`;
  while (!existsSync(seed)) {
    try {
      mkdirSync(lock);
    } catch {
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > STALE_LOCK_MS) rmSync(lock, { recursive: true, force: true });
      await sleep(200);
      continue;
    }
    try {
      if (!existsSync(seed)) await makeSeed(seed);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  const copy = mkdtempSync(join(tmpdir(), 'watchword-admin-'));
  cpSync(seed, copy, { recursive: true });
  return copy;
}

async function makeSeed(seed: string): Promise<void> {
  const making = `${seed}.making`;
  // Those of older builds, too.
  for (const name of readdirSync(CACHE))
    if (name.startsWith(PREFIX) && !name.endsWith('.lock')) rmSync(join(CACHE, name), { recursive: true, force: true });
  mkdirSync(making);
  const core = await startCore({ dataDir: making, env: { API_KEYS: KEY } });
  for (const role of ROLES) await addOperator(core.port, KEY, emailOf(role), role);
  await core.stop();
  const seeder = `import { askOnce } from ${JSON.stringify(join(PROJECT_ROOT, 'bench', 'core.mjs'))};
    await askOnce('seed-users.mjs', ${JSON.stringify({ dataDir: making, users: USERS, page: 1, pages: 1 })});`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', seeder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  renameSync(making, seed);
}
