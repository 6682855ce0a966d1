import type { Pages } from './store.ts';

/** Pages of a snapshot that is held until they end, fail, or are given up, which may be before the first. */
export class HeldPages<T> implements Pages<T> {
  readonly #pages: AsyncIterator<T>;
  #release: (() => void) | undefined;

  /** @param release called once, when nothing more is read */
  constructor(pages: AsyncIterable<T>, release: () => void) {
    this.#pages = pages[Symbol.asyncIterator]();
    this.#release = release;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#release) return { done: true, value: undefined };
    try {
      const { done, value } = await this.#pages.next();
      if (!done) return { done: false, value };
    } catch (error) {
      this.#end();
      throw error;
    }
    this.#end();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    try {
      await this.#pages.return?.();
    } finally {
      this.#end();
    }
    return { done: true, value: undefined };
  }

  #end(): void {
    this.#release?.();
    this.#release = undefined;
  }
}
