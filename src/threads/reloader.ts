import { ConfigError, type ConfigSources, type LoadedConfig } from '../config/config.ts';
import { type Reloaded, type Reread, reread } from '../config/reload.ts';
import { logOptions, type OpenLog } from '../observe/log.ts';

/** What reloads work with. */
export interface ReloaderParts {
  /** What the process was started with. */
  readonly loaded: LoadedConfig;
  /** Where that was read from. */
  readonly sources: ConfigSources;
  /** Main's log. */
  readonly log: OpenLog;
  /** Gives a configuration to every thread; resolves when it is in force in all of them. */
  readonly apply: (loaded: LoadedConfig) => Promise<void>;
}

/** The configuration of the process: read anew when asked to, one reload after the other, each whole or not at all. */
export class Reloader {
  readonly #parts: ReloaderParts;
  #loaded: LoadedConfig;
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
  get loaded(): LoadedConfig {
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
    this.#loaded = loaded;
    await apply(loaded);
    for (const warning of loaded.warnings) log.warn(warning);
    if (needsRestart.length > 0) log.warn({ options: needsRestart }, 'these options have new values, which need a restart');
    log.info({ changed }, 'the configuration was reloaded');
    return { status, changed, needsRestart };
  }

  /** Reads everything and opens main's log anew, the one thing of it that may fail. */
  #take(): Reread | Extract<Reloaded, { status: 'INVALID_CONFIG_ERROR' }> {
    const { sources, log } = this.#parts;
    try {
      const taken = reread(this.#loaded, sources);
      openAnew(log, taken.loaded);
      return taken;
    } catch (error) {
      if (error instanceof ConfigError) return { status: 'INVALID_CONFIG_ERROR', faults: error.faults };
      throw error;
    }
  }
}

/** @throws ConfigError where a file of the log cannot be opened */
function openAnew(log: OpenLog, { config }: LoadedConfig): void {
  try {
    log.reopen(logOptions(config, 'main'));
  } catch (error) {
    throw new ConfigError([`The log cannot be opened: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
