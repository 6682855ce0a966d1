// What several benches need and is made once: stores of two sizes, sessions to verify, how long to measure.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askOnce, startCore } from './core.mjs';
import { verifySession, writeRequests } from './load/requests.mjs';

/** Sessions that are verified again and again: more than fit in a processor's cache, few enough to be known to the core. */
const EXERCISED = 2000;
/** Sessions whose tokens the core sees for the first time, and those it warms up with. */
const NEW_TOKENS = 40_000;
const WARM_UP_TOKENS = 2000;
const MAKING_CONNECTIONS = 16;

/** Requests to send, by file: verify with and without the database; `refreshTokens` is a JSON list. */
export function writeSessions(directory, name, sessions) {
  const files = {
    plain: join(directory, `${name}-plain`),
    database: join(directory, `${name}-database`),
    refreshTokens: join(directory, `${name}-refresh`),
  };
  const verify = (checkDatabase) => sessions.map(({ access }) => verifySession(access, checkDatabase));
  writeRequests(files.plain, verify(false));
  writeRequests(files.database, verify(true));
  writeFileSync(files.refreshTokens, JSON.stringify(sessions.map(({ refresh }) => refresh)));
  return { ...files, first: { plain: verifySession(sessions[0].access, false), database: verifySession(sessions[0].access, true) } };
}

export class Stage {
  #directory;
  #folders;
  #made = new Map();

  /**
   * @param {{ directory: string, kept?: string, scale: number, sizes: { small: number, large: number, beyond: number }, say: (text: string) => void }} options
   *   `scale`: factor for all durations; `kept`: where the stores with many sessions are kept for the next run, or are already; `sizes`: their sessions
   */
  constructor({ directory, kept, scale, sizes, say }) {
    this.#directory = directory;
    const many = (size) => (kept === undefined ? join(directory, size) : join(kept, `sessions-${sizes[size]}`));
    this.#folders = { large: many('large'), beyond: many('beyond') };
    for (const size of ['empty', 'small', 'lists']) this.#folders[size] = join(directory, size);
    this.scale = scale;
    this.sizes = { empty: 0, lists: 0, ...sizes };
    this.say = say;
  }

  /** Seconds to measure, shortened in a quick run. */
  seconds(full) {
    return Math.max(1, Math.round(full * this.scale));
  }

  /** How often to repeat: at least twice. */
  rounds(full) {
    return Math.max(2, Math.round(full * Math.sqrt(this.scale)));
  }

  /** A new empty folder. */
  emptyFolder(name) {
    const folder = join(this.#directory, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** A data folder with so many stored sessions, by the name of its size: `empty`, `small`, `large`, `beyond` (memory) or `lists`. */
  store(size) {
    return this.#once(`store-${size}`, async () => {
      const dataDir = this.#folders[size];
      // Those that are made over HTTP count too.
      const sessions = Math.max(0, this.sizes[size] - EXERCISED);
      const mark = `${dataDir}.sessions`;
      if (existsSync(mark) && readFileSync(mark, 'utf8') === String(sessions)) return dataDir;
      if (existsSync(dataDir)) throw new Error(`${dataDir} was not made to its end: remove it`);
      mkdirSync(dataDir, { recursive: true });
      // The core itself makes its tenants and keys.
      const core = await startCore({ dataDir, httpThreads: 1 });
      await core.stop();
      if (sessions > 0) {
        this.say(`storing ${sessions.toLocaleString('en-US')} sessions`);
        const { seconds } = await askOnce('seed.mjs', { dataDir, sessions });
        this.say(`stored in ${seconds.toFixed(0)} s`);
      }
      writeFileSync(mark, String(sessions));
      return dataDir;
    });
  }

  /** Sessions made over HTTP in that store, as requests that verify them. */
  exercised(size) {
    return this.#once(`exercised-${size}`, async () => writeSessions(this.#directory, size, await this.#make(size, EXERCISED)));
  }

  /** Tokens to be seen once per life of a core, and others to warm it up with. */
  newTokens() {
    return this.#once('new-tokens', async () => {
      this.say('making tokens that are verified once');
      const sessions = await this.#make('empty', NEW_TOKENS + WARM_UP_TOKENS);
      return {
        warmUp: writeSessions(this.#directory, 'warm-up', sessions.slice(0, WARM_UP_TOKENS)),
        fresh: writeSessions(this.#directory, 'new', sessions.slice(WARM_UP_TOKENS)),
      };
    });
  }

  async #make(size, wanted) {
    const core = await startCore({ dataDir: await this.store(size) });
    try {
      const out = join(this.#directory, 'made.json');
      const count = Math.max(WARM_UP_TOKENS * 2, Math.round(wanted * Math.min(1, this.scale)));
      await askOnce('load/generator.mjs', { kind: 'makeSessions', port: core.port, connections: MAKING_CONNECTIONS, count, out });
      return JSON.parse(readFileSync(out, 'utf8'));
    } finally {
      await core.stop();
    }
  }

  #once(name, make) {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made;
  }
}

/** Runs `work` with a started core and stops it, whatever happens. */
export async function withCore(options, work) {
  const core = await startCore(options);
  try {
    return await work(core);
  } finally {
    await core.stop();
  }
}
