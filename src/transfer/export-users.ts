import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { LOSSES, type Loss } from '../recipes/management/exported-user.ts';
import { type Command, type CommandLine, UsageError } from './command-line.ts';
import { type ExportSource, openExport } from './export-source.ts';
import { count, countUsers, duration, Progress, type Screen } from './progress.ts';

/** `watchword export`. */
export const EXPORT = {
  name: 'export',
  operands: ['[FILE]'],
  about: [
    'Writes an app to FILE, or to standard output, one JSON object a line, in the format that "watchword import" reads: its roles,',
    'its tenants with their configuration and providers, its users. Sessions and dashboard users are left out: docs/import.md tells the rest.',
    'The users of a folder are those of one moment, also while a core runs on it. The file holds password hashes and other secrets.',
  ].join('\n'),
  examples: [
    'export users.ndjson --data-dir ./data',
    'export users.ndjson --url http://localhost:3567',
    'export --data-dir ./data | gzip > users.ndjson.gz',
  ],
  flags: {
    url: { value: 'URL', doc: 'ask the core there' },
    'api-key-file': { value: 'FILE', doc: 'with --url: file with the API key, of scope all; else the variable WATCHWORD_API_KEY' },
    'data-dir': { value: 'DIR', doc: 'read this data folder, with or without a core running on it' },
    config: { value: 'FILE', doc: 'with --data-dir: YAML file with the options of the core' },
    'app-id': { value: 'ID', doc: 'the app that is written (public)' },
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
 * @param apiKey of the core, where there is one
 * @param settings reads the lines that stand before the users
 * @throws UsageError, ImportFault, ConfigError, or what the file system says
 */
export async function runExport(
  line: CommandLine<typeof EXPORT.flags>,
  apiKey: string | undefined,
  settings: () => Promise<readonly string[]>,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const {
    operands: [file],
    flags,
  } = line;
  if ((flags.url === undefined) === (flags['data-dir'] === undefined)) throw new UsageError('Say where from: either --url or --data-dir');
  const source = await openExport(flags, apiKey, signal);
  try {
    const before = await settings();
    const sink = file === undefined || file === '-' ? streamSink(process.stdout) : fileSink(file);
    const progress = new Progress(flags.quiet ? { ...screen, write: () => undefined } : screen, 'written');
    return await writeAll({ source, before, sink, progress, screen, isQuiet: flags.quiet, signal });
  } finally {
    await source.close();
  }
}

interface Work {
  readonly source: ExportSource;
  /** Lines before the users. */
  readonly before: readonly string[];
  readonly sink: Sink;
  readonly progress: Progress;
  readonly screen: Screen;
  readonly isQuiet: boolean;
  readonly signal: AbortSignal;
}

async function writeAll(work: Work): Promise<number> {
  const { sink, progress, screen, isQuiet } = work;
  const losses = new Map<Loss, number>();
  const begun = screen.now();
  let written: number;
  try {
    written = await writeLines(work, losses);
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

/** Answers how many users were written. */
async function writeLines({ source, before, sink, progress, signal }: Work, losses: Map<Loss, number>): Promise<number> {
  let [seen, written] = [0, 0];
  let text = before.map((line) => `${line}\n`).join('');
  await source.read(async (page) => {
    signal.throwIfAborted();
    for (const [loss, times] of page.losses) losses.set(loss, (losses.get(loss) ?? 0) + times);
    seen += page.seen;
    written += page.lines.length;
    for (const line of page.lines) {
      text += `${line}\n`;
      if (text.length < WRITE_CHARACTERS) continue;
      await sink.write(text);
      text = '';
    }
    progress.show({ done: written, failures: seen - written, part: page.part });
  });
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
