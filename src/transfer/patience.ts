import { setTimeout as wait } from 'node:timers/promises';
import { type JsonObject, parseJsonObject } from '../json/free-form.ts';
import { UNKNOWN_OUTCOME_TEXT } from '../store/unavailable.ts';
import { ConnectionLost, type CoreAnswer, type CoreClient } from './core-client.ts';
import { ImportFault } from './outcome.ts';

/** Waits grow from the first to the longest. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** Answers that say "not now", then those of them that say nothing was done, unless their text says nobody knows. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const NOTHING_DONE: ReadonlySet<number> = new Set([425, 429, 503]);

/** Trouble that may pass. */
export interface Trouble {
  /** A few words. */
  readonly reason: string;
  /** False where the core may have done what it was asked for. */
  readonly isNothingDone: boolean;
  /** Seconds that the core asks to wait. */
  readonly retryAfter: number | undefined;
}

/** How long a core may be in trouble, and who is told. */
export interface PatienceOptions {
  readonly longestMs: number;
  readonly signal: AbortSignal;
  readonly onTrouble: (reason: string) => void;
}

/** Waits while a core is in trouble, longer each time, until that lasts too long. */
export class Patience {
  readonly #options: PatienceOptions;
  #since: number | undefined;
  #waits = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** The core is well. */
  calm(): void {
    this.#since = undefined;
    this.#waits = 0;
  }

  /** @throws AbortError when the import is to stop */
  async rest(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#options.signal });
  }

  /** @throws ImportFault after too long, AbortError when the import is to stop */
  async wait({ reason, retryAfter }: Trouble): Promise<void> {
    const { longestMs, signal, onTrouble } = this.#options;
    const now = performance.now();
    this.#since ??= now;
    if (now - this.#since > longestMs) throw new ImportFault(`The core has been in trouble for too long: ${reason}.`);
    onTrouble(reason);
    const grown = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#waits);
    this.#waits += 1;
    await wait(Math.max(grown, Math.min(LONGEST_WAIT_MS, (retryAfter ?? 0) * 1000)), undefined, { signal });
  }
}

/** An answer, or trouble that may pass. @throws ImportFault where it is no use to ask the core again in this way */
export async function ask(client: CoreClient, ...[method, path, body]: Parameters<CoreClient['call']>): Promise<CoreAnswer | Trouble> {
  try {
    const answer = await client.call(method, path, body);
    if (!NOT_NOW.has(answer.status)) return answer;
    const { status, retryAfter, text } = answer;
    const isNothingDone = NOTHING_DONE.has(status) && text.trim() !== UNKNOWN_OUTCOME_TEXT;
    return { reason: `it answers ${status}${quoted(text)}`, isNothingDone, retryAfter };
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    return { reason: error.message, isNothingDone: false, retryAfter: undefined };
  }
}

/** Asks for what can be asked twice, until there is an answer. @throws ImportFault for any answer but 200 */
export async function askUntilAnswered(
  client: CoreClient,
  patience: Patience,
  ...call: Parameters<CoreClient['call']>
): Promise<JsonObject> {
  for (;;) {
    const answer = await ask(client, ...call);
    if ('reason' in answer) {
      await patience.wait(answer);
      continue;
    }
    patience.calm();
    if (answer.status !== 200) throw refusal(answer);
    return objectIn(answer);
  }
}

const QUOTED_CHARACTERS = 200;

/** The import, or export, ends with what the core says against it. */
export function refusal({ status, text }: CoreAnswer, what: 'import' | 'export' = 'import'): ImportFault {
  return new ImportFault(`The core refuses the ${what} with ${status}${quoted(text)}`);
}

function quoted(text: string): string {
  const said = text.replaceAll(/\s+/g, ' ').trim().slice(0, QUOTED_CHARACTERS);
  return said === '' ? '' : `: ${said}`;
}

/** The object that an answer holds. @throws ImportFault */
export function objectIn(answer: CoreAnswer): JsonObject {
  const object = parseJsonObject(answer.text);
  if (object) return object;
  throw new ImportFault(
    `The core's answer cannot be read (is there really a core at that URL?): it begins with "${answer.text.slice(0, 40)}"`,
  );
}
