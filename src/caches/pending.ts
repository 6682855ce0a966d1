/** Look-ups under way, by key: whoever misses a cold cache waits for the one that runs, and starts none. */
export class Pending<K, V> {
  readonly #running = new Map<K, Promise<V>>();

  /** What the running look-up of the key answers, else what `look` does: no promise when that knows at once. */
  once(key: K, look: () => V | Promise<V>): V | Promise<V> {
    const running = this.#running.get(key);
    if (running) return running;
    const found = look();
    if (!(found instanceof Promise)) return found;
    this.#running.set(key, found);
    const forget = (): void => {
      // After `clear` another may run.
      if (this.#running.get(key) === found) this.#running.delete(key);
    };
    found.then(forget, forget);
    return found;
  }

  /** Whoever asks from now on starts a look-up anew: those under way may have missed a change. */
  clear(): void {
    this.#running.clear();
  }
}
