import { type Blocklist, closeBlocklist } from '../blocklist/blocklist.ts';
import { openConfigured } from '../blocklist/configured.ts';
import { ConfigError, type ConfigSources, type LoadedConfig } from '../config/config.ts';
import type { OptionName } from '../config/options.ts';
import { type Reloaded, type Reread, reread } from '../config/reload.ts';
import { logOptions, type OpenLog } from '../observe/log.ts';
import type { InForce } from './plan.ts';

const BLOCKLIST: OptionName = 'password_blocklist';

/** What can be taken over, with what was opened for it. */
type Taken = Reread & { readonly loaded: InForce };

/** What reloads work with. */
export interface ReloaderParts {
  /** What the process was started with. */
  readonly loaded: InForce;
  /** Where that was read from. */
  readonly sources: ConfigSources;
  /** Main's log. */
  readonly log: OpenLog;
  /** Gives a configuration to every thread; resolves when it is in force in all of them. */
  readonly apply: (loaded: InForce) => Promise<void>;
}

/** The configuration of the process: read anew when asked to, one reload after the other, each whole or not at all. */
export class Reloader {
  readonly #parts: ReloaderParts;
  #loaded: InForce;
  /** Under way. */
  #running: Promise<Reloaded> | undefined;
  /** Begins when that is over. */
  #next: Promise<Reloaded> | undefined;
  #wasRefused = false;

  constructor(parts: ReloaderParts) {
    this.#parts = parts;
    this.#loaded = parts.loaded;
  }

  /** In force; new threads start with it. */
  get loaded(): InForce {
    return this.#loaded;
  }

  /** Whether what stands in the sources is wrong, so that something older is in force. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  /**
   * Resolves when the configuration is in force in all threads, or was refused. Who asks while one is under way waits
   * for the next one, together with all others who do: it reads what stands in the sources when it begins.
   */
  reload(): Promise<Reloaded> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<Reloaded> {
    this.#next = undefined;
    const running = this.#reload();
    this.#running = running;
    const isOver = (): void => {
      if (this.#running === running && !this.#next) this.#running = undefined;
    };
    running.then(isOver, isOver);
    return running;
  }

  async #reload(): Promise<Reloaded> {
    const { log, apply } = this.#parts;
    const taken = this.#take();
    this.#wasRefused = taken.status !== 'OK';
    if (taken.status !== 'OK') {
      log.error({ faults: taken.faults }, 'the reload was refused, the configuration stays as it was');
      return taken;
    }
    const { status, changed, needsRestart, loaded } = taken;
    const before = this.#loaded;
    this.#loaded = loaded;
    await apply(loaded);
    // Nobody reads it any more.
    if (before.blocklist) closeBlocklist(before.blocklist);
    for (const warning of loaded.warnings) log.warn(warning);
    if (needsRestart.length > 0) log.warn({ options: needsRestart }, 'these options have new values, which need a restart');
    log.info({ changed }, 'the configuration was reloaded');
    return { status, changed, needsRestart };
  }

  /** Reads everything, and opens the blocklist and main's log anew, which may fail. */
  #take(): Taken | Extract<Reloaded, { status: 'INVALID_CONFIG_ERROR' }> {
    const { sources, log } = this.#parts;
    try {
      const taken = reread(this.#loaded, sources);
      const blocklist = openConfigured(taken.loaded.config);
      openAnew(log, taken.loaded, blocklist);
      const changed = isSame(this.#loaded.blocklist, blocklist) ? taken.changed : [...new Set([...taken.changed, BLOCKLIST])].toSorted();
      return { ...taken, changed, loaded: { ...taken.loaded, blocklist } };
    } catch (error) {
      if (error instanceof ConfigError) return { status: 'INVALID_CONFIG_ERROR', faults: error.faults };
      throw error;
    }
  }
}

/** Two blocklists may stand in the same file, one after the other. */
const isSame = (one: Blocklist | undefined, other: Blocklist | undefined): boolean => one?.shape.sum === other?.shape.sum;

/** @throws ConfigError where a file of the log cannot be opened; the blocklist is closed then */
function openAnew(log: OpenLog, { config }: LoadedConfig, blocklist: Blocklist | undefined): void {
  try {
    log.reopen(logOptions(config, 'main'));
  } catch (error) {
    if (blocklist) closeBlocklist(blocklist);
    throw new ConfigError([`The log cannot be opened: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
