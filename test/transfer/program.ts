import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../running-core.ts';

const PROGRAM = join(PROJECT_ROOT, 'dist', 'src', 'cli.js');

/** What a run of `watchword` ended with. */
export interface Ended {
  /** `null` after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input. */
  readonly input?: string;
  /** Sends the signal as soon as it answers true; asked every few ms, with the errors and progress that it wrote so far. */
  readonly end?: { readonly when: (stderr: string) => boolean; readonly signal: 'SIGKILL' | 'SIGINT' };
}

/** Runs `watchword` with these arguments to its end. */
export async function watchword(args: readonly string[], { env, input, end }: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'] ?? '', BCRYPT_LOG_ROUNDS: '4', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const timer =
    end &&
    setInterval(() => {
      if (!end.when(stderr)) return;
      // Once: the second one ends it at once.
      clearInterval(timer);
      child.kill(end.signal);
    }, 2);
  await once(child, 'close');
  clearInterval(timer);
  return { code: child.exitCode, stdout, stderr };
}

/**
 * True from some ms after the import of this file has passed so many users more than now: a moment of no meaning to it.
 * @param more at most
 */
export function onceBeyond(file: string, more: number): () => boolean {
  const passed = (): number => {
    const state = `${file}.state`;
    return existsSync(state) ? Number(/"passed":(\d+)/.exec(readFileSync(state, 'utf8'))?.[1] ?? 0) : 0;
  };
  const goal = passed() + Math.random() * more;
  let at: number | undefined;
  return () => {
    if (at === undefined && passed() > goal) at = performance.now() + Math.random() * 15;
    return at !== undefined && performance.now() > at;
  };
}

/** A user of an import as these tests make it. */
export type GivenUser = Readonly<Record<string, unknown>>;

const HASH = '$2a$04$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';

/** Users whose passwords are hashed, each with its number in its email. */
export function hashedUsers(count: number, name = 'user'): GivenUser[] {
  return Array.from({ length: count }, (_, number) => ({
    loginMethods: [{ recipeId: 'emailpassword', email: `${name}-${number}@example.com`, passwordHash: HASH, hashingAlgorithm: 'bcrypt' }],
  }));
}

/** Writes users as NDJSON. */
export function writeLines(path: string, users: readonly GivenUser[]): void {
  writeFileSync(path, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
}

/** A line of a file of rejects. */
export interface RejectLine {
  readonly line?: number;
  readonly index?: number;
  readonly errors: readonly string[];
  readonly user?: GivenUser;
  readonly text?: string;
}

/** The lines of a file of rejects; none where there is no such file. */
export function readRejects(path: string): RejectLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): RejectLine => JSON.parse(line) as RejectLine);
}
