import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Screen } from '../transfer/progress.ts';
import { UsageError } from '../transfer/command-line.ts';

/** Where a command is given: what it prints, where it shows progress, and the person before it. */
export interface Terminal {
  /** Standard output: what was asked for. */
  readonly print: (text: string) => void;
  /** Standard error: progress and remarks. */
  readonly screen: Screen;
  /** Whether somebody is there who can answer. */
  readonly isAttended: boolean;
  /** Asks for one line. */
  readonly ask: (question: string) => Promise<string>;
  /** The same, without showing what is typed. */
  readonly askSecret: (question: string) => Promise<string>;
  /** Aborts at the first SIGINT or SIGTERM, which end commands at once that never look here. */
  readonly signal: AbortSignal;
}

/** Standard error as the place where progress is shown. */
function standardError(): Screen {
  const { stderr } = process;
  return {
    isTerminal: stderr.isTTY,
    // 0 where a terminal does not know.
    width: () => stderr.columns || 80,
    write: (text) => stderr.write(text),
    now: () => performance.now(),
  };
}

async function askOnTerminal(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

async function askUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  // As a terminal, it reads key by key, and what it would echo goes nowhere.
  const lines = createInterface({
    input: process.stdin,
    output: new Writable({ write: (_chunk, _coding, done) => done() }),
    terminal: true,
  });
  // Ctrl-C is a key then.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** The terminal of this process. */
export function openTerminal(): Terminal {
  let stopping: AbortSignal | undefined;
  return {
    print: (text) => void process.stdout.write(text),
    screen: standardError(),
    isAttended: process.stdin.isTTY && process.stderr.isTTY,
    ask: askOnTerminal,
    askSecret: askUnseen,
    get signal() {
      stopping ??= onSignals();
      return stopping;
    },
  };
}

function onSignals(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

/** Goes on only where `--yes` was given or a person says so. @throws UsageError where nobody can be asked */
export async function confirm({ isAttended, ask }: Terminal, isSaid: boolean, what: string): Promise<boolean> {
  if (isSaid) return true;
  if (!isAttended) throw new UsageError(`${what} Add --yes to go on.`);
  return /^y(?:es)?$/i.test((await ask(`${what} Go on? [y/N] `)).trim());
}

/** The first line of a file that holds a secret, or of standard input for `-`. @throws UsageError where it is empty */
export function readSecret(flag: string, file: string): string {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8');
  const secret = (text.split('\n', 1)[0] ?? '').trim();
  if (secret === '') throw new UsageError(`The file of --${flag} holds nothing`);
  return secret;
}
