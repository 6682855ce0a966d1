import type { AppNumber, Store } from '../../store/store.ts';
import type { ApiKey } from './api-keys.ts';
import { apiKeyUses } from './records.ts';

/** How exactly the last use of a key is kept. */
const EVERY_MS = 10 * 60_000;

/** Writes when API keys were last used, beside the requests and seldom; one per thread. */
export class KeyUses {
  readonly #store: Store;
  readonly #onDropped: (error: unknown) => void;
  readonly #writtenAt = new Map<string, number>();

  /** @param onDropped told of writes that failed, which a later request makes up for */
  constructor(store: Store, onDropped: (error: unknown) => void) {
    this.#store = store;
    this.#onDropped = onDropped;
  }

  /** A key was used. @param now ms since the epoch */
  used(app: AppNumber, { name, createdAt }: Pick<ApiKey, 'name' | 'createdAt'>, now: number): void {
    const id = `${app} ${name} ${createdAt}`;
    const writtenAt = this.#writtenAt.get(id);
    if (writtenAt !== undefined && now >= writtenAt && now - writtenAt < EVERY_MS) return;
    this.#writtenAt.set(id, now);
    this.#write(app, name, now).catch((error: unknown) => {
      this.#writtenAt.delete(id);
      this.#onDropped(error);
    });
  }

  async #write(app: AppNumber, name: string, at: number): Promise<void> {
    await this.#store.transact((tx) => tx.put(apiKeyUses, { app, name, at }));
  }
}
