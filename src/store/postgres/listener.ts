import { createHash } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { connect, type ConnectionOptions } from './connection.ts';

const FIRST_REST_MS = 100;
const LONGEST_REST_MS = 10_000;
/** A connection that was lost in silence is found out by a question, which the time limit of answers ends. */
const QUESTION_EVERY_MS = 1_000;
const CHANNEL_DIGITS = 16;

/** The channel of the nodes that share a schema: names of channels are short, those of schemas need not be. */
export function channelOf(schema: string): string {
  return `watchword_${createHash('sha256').update(schema).digest('hex').slice(0, CHANNEL_DIGITS)}`;
}

/** Who listens to what, and who is told. */
export interface Listening {
  readonly connection: Omit<ConnectionOptions, 'connections' | 'prepared' | 'onNotice'>;
  readonly channel: string;
  /** Called for each notice, and whenever listening begins: what was said before is not told any more. */
  readonly onNotice: () => void;
  /** Told once when the connection is lost or cannot be made; it is tried again. */
  readonly onFault: (error: unknown) => void;
  /** Uniform in [0, 1). */
  readonly randomUnit: () => number;
}

/** Listens on a connection of its own until the answered function is called. */
export function listen(listening: Listening): () => Promise<void> {
  const ending = new AbortController();
  const running = keepListening(listening, ending.signal);
  return async () => {
    ending.abort();
    await running;
  };
}

async function keepListening({ onNotice, onFault, randomUnit, ...listening }: Listening, signal: AbortSignal): Promise<void> {
  let failures = 0;
  const begun = (): void => {
    failures = 0;
    onNotice();
  };
  while (!signal.aborted) {
    try {
      await listenOnce({ ...listening, onNotice }, begun, signal);
    } catch (error) {
      if (failures === 0 && !signal.aborted) onFault(error);
    }
    const most = Math.min(FIRST_REST_MS * 2 ** failures, LONGEST_REST_MS);
    failures += 1;
    await pause(most * (0.5 + randomUnit() / 2), signal);
  }
}

/** Rejects when the connection is lost. */
async function listenOnce(
  { connection: options, channel, onNotice }: Pick<Listening, 'connection' | 'channel' | 'onNotice'>,
  onBegun: () => void,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connect({ ...options, connections: 1, prepared: false, onNotice });
  try {
    await connection.run({ text: `LISTEN ${channel}`, values: [] });
    onBegun();
    for (; !signal.aborted; await pause(QUESTION_EVERY_MS, signal)) await connection.run({ text: 'SELECT 1', values: [] });
  } finally {
    // An orderly end would wait for a server that may be gone.
    connection.destroy(new Error('nobody listens any more'));
  }
}

/** Waits, but not beyond the end. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await rest(ms, undefined, { signal, ref: false }).catch(() => {});
}
