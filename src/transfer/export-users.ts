import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { users } from '../recipes/accounts/records.ts';
import type { Reader } from '../store/store.ts';
import { type Command, type CommandLine, UsageError } from './command-line.ts';
import { openApp, type OpenApp } from './data-folder.ts';
import { lineOf, LOSSES, type Loss } from './exported-user.ts';
import { count, countUsers, duration, Progress, type Screen } from './progress.ts';
import { readUsers } from './read-users.ts';

/** `watchword export`. */
export const EXPORT = {
  name: 'export',
  operands: ['[FILE]'],
  about: [
    'Writes all users of an app to FILE, or to standard output, one JSON object a line, in the format that "watchword import" reads.',
    'They are those of one moment, also while a core runs on the folder. Roles, tenants, sessions and dashboard users are not users:',
    'docs/import.md tells how to move them. The file holds password hashes and TOTP secrets.',
  ].join('\n'),
  examples: ['export users.ndjson --data-dir ./data', 'export --data-dir ./data | gzip > users.ndjson.gz'],
  flags: {
    'data-dir': { value: 'DIR', doc: 'the data folder' },
    config: { value: 'FILE', doc: 'YAML file with the options of the core' },
    'app-id': { value: 'ID', doc: 'the app whose users are written (public)' },
    'connection-uri-domain': { value: 'DOMAIN', doc: 'the connection URI domain of the app' },
    quiet: { doc: 'say nothing but what went wrong or could not be written' },
  },
} as const satisfies Command;

/** Lines that are handed on at once. */
const WRITE_CHARACTERS = 256 * 1024;

/** Something that takes text as fast as it can. */
interface Sink {
  readonly write: (text: string) => Promise<void>;
  readonly finish: () => Promise<void>;
  readonly abandon: () => Promise<void>;
}

/**
 * `watchword export`: answers the exit code.
 * @throws UsageError, ImportFault, ConfigError, or what the file system says
 */
export async function runExport(line: CommandLine<typeof EXPORT.flags>, screen: Screen, signal: AbortSignal): Promise<number> {
  const {
    operands: [file],
    flags,
  } = line;
  if (flags['data-dir'] === undefined) throw new UsageError('Name the folder with --data-dir');
  const app = await openApp(
    { dataDir: flags['data-dir'], configFile: flags.config, appId: flags['app-id'], connectionUriDomain: flags['connection-uri-domain'] },
    'export',
  );
  try {
    const sink = file === undefined || file === '-' ? streamSink(process.stdout) : fileSink(file);
    const progress = new Progress(flags.quiet ? { ...screen, write: () => undefined } : screen, 'written');
    return await writeAll({ app, sink, progress, screen, isQuiet: flags.quiet, signal });
  } finally {
    await app.close();
  }
}

interface Work {
  readonly app: OpenApp;
  readonly sink: Sink;
  readonly progress: Progress;
  readonly screen: Screen;
  readonly isQuiet: boolean;
  readonly signal: AbortSignal;
}

async function writeAll(work: Work): Promise<number> {
  const { app, sink, progress, screen, isQuiet } = work;
  const losses = new Map<Loss, number>();
  const begun = screen.now();
  let written: number;
  try {
    written = await app.store.read((reader) => writeUsers(work, reader, losses));
    await sink.finish();
  } catch (error) {
    progress.clear();
    await sink.abandon();
    throw error;
  }
  progress.clear();
  const seconds = (screen.now() - begun) / 1000;
  if (!isQuiet) screen.write(`${countUsers(written)} written in ${duration(seconds)}.\n`);
  for (const [loss, times] of losses) screen.write(`Left out (${count(times)}): ${LOSSES[loss]}.\n`);
  return 0;
}

async function writeUsers({ app, sink, progress, signal }: Work, reader: Reader, losses: Map<Loss, number>): Promise<number> {
  const onLoss = (loss: Loss): void => void losses.set(loss, (losses.get(loss) ?? 0) + 1);
  const total = await reader.count(users, undefined, { prefix: [app.tenant.app] });
  let seen = 0;
  let written = 0;
  let text = '';
  for await (const page of readUsers(reader, app.tenant.app)) {
    // Memory is given back between turns of the event loop, and signals come in.
    await nextTurn();
    signal.throwIfAborted();
    for (const user of page) {
      const line = await lineOf(reader, app, user, onLoss);
      seen += 1;
      if (line === undefined) continue;
      text += `${line}\n`;
      written += 1;
      if (text.length < WRITE_CHARACTERS) continue;
      await sink.write(text);
      text = '';
    }
    progress.show({ done: written, failures: seen - written, part: total === 0 ? undefined : seen / total });
  }
  await sink.write(text);
  return written;
}

function streamSink(stream: NodeJS.WritableStream): Sink {
  return {
    write: async (text) => {
      if (!stream.write(text)) await once(stream, 'drain');
    },
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}

/** A file that has its name only when it is whole. */
function fileSink(path: string): Sink {
  const beside = `${path}.new`;
  const stream = createWriteStream(beside, { mode: 0o600 });
  // Whoever writes next is told.
  stream.on('error', () => undefined);
  const failed = once(stream, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => undefined);
  return {
    write: async (text) => {
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), failed]);
    },
    finish: async () => {
      stream.end();
      await Promise.race([once(stream, 'close'), failed]);
      await rename(beside, path);
    },
    abandon: async () => {
      stream.destroy();
      await rm(beside, { force: true });
    },
  };
}
