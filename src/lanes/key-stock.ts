import type { KeyPairs, RsaKeyPair } from '../crypto/rsa-keys.ts';
import { LaneFullError } from './lane-errors.ts';
import { KEY_QUEUE, KEY_STOCK } from './lane-limits.ts';

/** How pairs are made. */
export interface KeyStockParts {
  /** At once, while somebody waits. */
  readonly makeNow: () => Promise<RsaKeyPair>;
  /** At low priority, whenever a core is idle. */
  readonly makeQuietly: () => Promise<RsaKeyPair>;
  /** How many may be made now at a time. */
  readonly width: number;
  /** Pairs kept ready; `KEY_STOCK` when left out. */
  readonly size?: number;
}

/** What somebody asked for and has not got yet. */
interface Order {
  isWaitedFor: boolean;
  readonly promise: Promise<RsaKeyPair>;
  readonly resolve: (pair: RsaKeyPair) => void;
  readonly reject: (error: unknown) => void;
}

/** Purposes whose pair is remembered: another thread may ask before the first has stored it. */
const REMEMBERED = 64;

/**
 * The process's only source of signing keys: a few pairs kept ready in memory, and a queue of orders. A pair takes 0.1
 * to 1 s to make, so pairs that nobody waits for are made one at a time, at low priority; a waiting request has one
 * made at once. Of both, the first one finished goes to the request, the other into the stock.
 */
export class KeyStock implements KeyPairs {
  readonly #parts: KeyStockParts;
  readonly #size: number;
  readonly #ready: RsaKeyPair[] = [];
  /** By purpose, in the order in which they were asked for. */
  readonly #orders = new Map<string, Order>();
  readonly #given = new Map<string, RsaKeyPair>();
  readonly #making = { now: 0, quietly: 0 };
  #isOpen = false;
  #isClosed = false;

  constructor(parts: KeyStockParts) {
    this.#parts = parts;
    this.#size = parts.size ?? KEY_STOCK;
  }

  /** Starts making the stock and what was ordered in advance; until then only those who wait get a pair. */
  open(): void {
    this.#isOpen = true;
    this.#make();
  }

  /** Starts nothing more that nobody waits for: the end of the process would wait for it. */
  shut(): void {
    this.#isOpen = false;
  }

  /** Makes nothing more, and lets nobody wait. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#orders.values()) reject(new LaneFullError('keys'));
    this.#orders.clear();
  }

  keyPairFor(purpose: string, isWaitedFor: boolean): Promise<RsaKeyPair> {
    const given = this.#given.get(purpose);
    if (given) return Promise.resolve(given);
    const order = this.#orders.get(purpose) ?? this.#order(purpose);
    if (!order) return Promise.reject(new LaneFullError('keys'));
    order.isWaitedFor ||= isWaitedFor;
    const pair = this.#ready.pop();
    if (pair) this.#hand(pair, purpose, order);
    this.#make();
    return order.promise;
  }

  #order(purpose: string): Order | undefined {
    if (this.#isClosed || this.#orders.size >= KEY_QUEUE) return undefined;
    let settle: Pick<Order, 'resolve' | 'reject'> | undefined;
    const promise = new Promise<RsaKeyPair>((resolve, reject) => (settle = { resolve, reject }));
    if (!settle) return undefined;
    const order: Order = { isWaitedFor: false, promise, ...settle };
    this.#orders.set(purpose, order);
    return order;
  }

  #make(): void {
    if (this.#isClosed) return;
    const waited = Array.from(this.#orders.values(), (order) => order.isWaitedFor).filter(Boolean).length;
    while (this.#making.now < Math.min(waited, this.#parts.width)) this.#start('now');
    const isWanted = this.#orders.size > waited || this.#ready.length < this.#size;
    if (this.#isOpen && isWanted && this.#making.quietly === 0) this.#start('quietly');
  }

  #start(how: 'now' | 'quietly'): void {
    this.#making[how] += 1;
    const pending = how === 'now' ? this.#parts.makeNow() : this.#parts.makeQuietly();
    pending.then(
      (pair) => {
        this.#making[how] -= 1;
        this.#add(pair);
        this.#make();
      },
      (error: unknown) => {
        this.#making[how] -= 1;
        this.#fail(how === 'now', error);
        // Each failure ends somebody's wait; what nobody waits for is tried again when somebody asks.
        if (how === 'now') this.#make();
      },
    );
  }

  #add(pair: RsaKeyPair): void {
    const orders = Array.from(this.#orders);
    const [purpose, order] = orders.find(([, each]) => each.isWaitedFor) ?? orders[0] ?? [];
    if (order && purpose !== undefined) this.#hand(pair, purpose, order);
    else if (this.#ready.length < this.#size) this.#ready.push(pair);
  }

  #hand(pair: RsaKeyPair, purpose: string, order: Order): void {
    this.#orders.delete(purpose);
    const oldest = this.#given.size >= REMEMBERED ? this.#given.keys().next().value : undefined;
    if (oldest !== undefined) this.#given.delete(oldest);
    this.#given.set(purpose, pair);
    order.resolve(pair);
  }

  /** Told to the first of those it was made for. */
  #fail(wasWaitedFor: boolean, error: unknown): void {
    for (const [purpose, order] of this.#orders) {
      if (order.isWaitedFor !== wasWaitedFor) continue;
      this.#orders.delete(purpose);
      order.reject(error);
      return;
    }
  }
}
