import { connect } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BodyPlace, Handler, Listening } from '../../src/http/engine.ts';
import { loadEngine } from '../../src/http/load-engine.ts';
import { textReply } from '../../src/http/reply.ts';
import { LOADABLE_ENGINES } from '../loadable-engines.ts';
import { FRAMINGS, type Framing, type Outcome, TO_CUT } from './framings.ts';

/** Both engines take the same requests for the same; where they cannot, `native` in the table says so. */
const PAUSE_MS = 40;
const SLOW_MS = 150;
/** After the last answer that was waited for, this long for whatever nobody waits for. */
const QUIET_MS = 250;
/** The native engine gives up a head that never becomes one after ten seconds, counted in steps of four. */
const PATIENCE_MS = 25_000;
const PLACE: BodyPlace = { limit: 65_536, isRead: true, hold: () => true, release: () => {} };
/** Cases have numbers, which their paths begin with; these are more than there are. */
const MOST_CASES = 2_000;

/** Remembers what ran, and is slow where the path says so. */
class Recorder implements Handler {
  readonly runs: string[] = [];
  readonly hotPaths = Array.from({ length: MOST_CASES }, (_, at) => `/${at}-hot`);
  readonly smallBodyBytes = 1024;

  constructor(takesChunks: boolean) {
    this.takesChunks = takesChunks;
  }

  readonly takesChunks: boolean;

  admitBody(): BodyPlace {
    return PLACE;
  }

  handle({ method, path, body }: Parameters<Handler['handle']>[0]): ReturnType<Handler['handle']> {
    this.runs.push(`${method} ${path.slice(1)} ${body.length}`);
    const reply = textReply(200, 'done');
    return path.includes('-slow') ? later(SLOW_MS).then(() => reply) : reply;
  }
}

interface Played {
  readonly statuses: readonly number[];
  readonly isClosed: boolean;
  readonly runs: readonly string[];
}

let cases = 0;

/** Plays one case on a connection of its own. */
async function play(port: number, recorder: Recorder, send: readonly string[], expected: Outcome): Promise<Played> {
  const number = String(cases++);
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  let isClosed = false;
  const statuses = (): number[] => [...text.matchAll(/^HTTP\/1\.1 ([2-5]\d\d)/gm)].map((match) => Number(match[1]));
  const wanted = expected.end === 'open' ? expected.runs.length : Number.POSITIVE_INFINITY;
  const finished = new Promise<void>((done) => {
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (statuses().length >= wanted) done();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
      done();
    });
  });
  await new Promise((done) => socket.once('connect', done));
  for (const [at, piece] of send.entries()) {
    if (at > 0) await later(PAUSE_MS);
    if (socket.writable) socket.write(Buffer.from(piece.replaceAll('@', `${number}-`), 'latin1'));
  }
  const limit = new AbortController();
  await Promise.race([finished, later(PATIENCE_MS, undefined, { signal: limit.signal })]);
  limit.abort();
  await later(QUIET_MS);
  socket.destroy();
  const runs = recorder.runs.flatMap((run) =>
    run
      .split(` ${number}-`)
      .slice(1)
      .map((rest) => `${run.split(' ')[0]} ${rest}`),
  );
  return { statuses: statuses(), isClosed, runs };
}

/** What the table expects of an engine. */
function expectedOf({ expected, native, isChunked }: Framing, isNative: boolean, takesChunks: boolean): Outcome {
  if (!isNative) return expected;
  if (isChunked && !takesChunks) return { runs: [], end: 'refused' };
  if (native) return native;
  return isChunked && expected.end === 'open' ? { ...expected, end: 'closed' } : expected;
}

function check({ statuses, isClosed, runs }: Played, expected: Outcome): void {
  expect(runs).toEqual(expected.runs);
  expect(isClosed).toBe(expected.end !== 'open');
  const answered = statuses.filter((status) => status === 200).length;
  expect(answered).toBe(expected.isAnswered === false ? 0 : expected.runs.length);
  // Whatever else comes is one refusal.
  expect(statuses.length - answered).toBeLessThanOrEqual(expected.end === 'refused' ? 1 : 0);
}

const SUBJECTS = LOADABLE_ENGINES.flatMap((name) =>
  (name === 'uws' ? [false, true] : [true]).map((takesChunks) => ({ name, takesChunks })),
);

describe.each(SUBJECTS)('engine $name, chunks taken: $takesChunks', ({ name, takesChunks }) => {
  const recorder = new Recorder(takesChunks);
  const isNative = name === 'uws';
  let listening: Listening;
  let played: readonly Played[];

  beforeAll(async () => {
    listening = await (await loadEngine(name, () => {})).listen('127.0.0.1', 0, recorder);
    // All at once, since some wait until the engine gives up.
    played = await Promise.all(
      FRAMINGS.map((framing) => play(listening.port, recorder, framing.send, expectedOf(framing, isNative, takesChunks))),
    );
  }, 60_000);

  afterAll(() => listening.close(0));

  test.each(FRAMINGS.map((framing, at) => ({ ...framing, at })))('$name', (framing) => {
    const outcome = played[framing.at];
    if (outcome) check(outcome, expectedOf(framing, isNative, takesChunks));
    expect(outcome).toBeDefined();
  });

  test('nothing that stands in a body, a trailer or behind a refusal ever runs', () => {
    expect(recorder.runs.filter((run) => run.includes('smuggled'))).toEqual([]);
  });

  test.each(TO_CUT)(
    'cut in two at every byte: $name',
    async (framing) => {
      const [whole = ''] = framing.send;
      const expected = expectedOf(framing, isNative, takesChunks);
      const line = whole.indexOf('\r\n') + 2;
      const cuts = Array.from({ length: whole.length - 1 }, (_, at) => at + 1);
      await Promise.all(
        cuts.map(async (at) => {
          const outcome = await play(listening.port, recorder, [whole.slice(0, at), whole.slice(at)], expected);
          expect(outcome.runs.filter((run) => run.includes('smuggled'))).toEqual([]);
          // docs/decisions/0006: a request line that is cut is another version of HTTP to the native parser.
          if (isNative && at < line && outcome.statuses[0] === 505) expect(outcome).toEqual({ statuses: [505], isClosed: true, runs: [] });
          else if (framing.native === undefined || !isNative) check(outcome, expected);
        }),
      );
    },
    60_000,
  );
});
