import type { MessagePort } from 'node:worker_threads';
import type { KeyPairs } from './key-stock.ts';
import type { CallOptions, HashOptions, HashParameters, Passwords } from './lanes.ts';
import { LaneFullError, type LaneName } from './lane-errors.ts';
import { unknownUserHash } from './password-hashes.ts';
import type { RsaKeyPair } from './rsa-keys.ts';
import type { IdpMetadata, SamlAnswer, SamlQuestion, SamlXml } from './saml/saml.ts';
import type { XmlResult } from './saml/xml-task.ts';
import { memoryOf, type TakenUpload, type UploadPlace, type UploadRules, type Uploads } from './upload.ts';

/*
 * The way of another thread to the process's crypto pool and to what takes in uploads: one port, calls and answers by number, and one
 * message for all calls, or all answers, of a turn of the event loop.
 */

/** What crosses the port towards the pool. Tuples, because their member names need not be copied. */
type Call =
  | readonly [id: number, kind: 'hash', password: string, parameters: HashParameters, lane: 'hash' | 'import']
  | readonly [id: number, kind: 'verify', password: string, hash: string, firebaseSignerKey: string | null]
  | readonly [id: number, kind: 'upload', body: Uint8Array<ArrayBuffer>, rules: UploadRules, place: UploadPlace | undefined]
  | readonly [id: number, kind: 'metadata', metadata: string]
  | readonly [id: number, kind: 'check', question: SamlQuestion]
  | readonly [id: number, kind: 'key-pair', purpose: string, isWaitedFor: boolean]
  | readonly [id: number, kind: 'cancel'];

type Value = string | boolean | TakenUpload | XmlResult | RsaKeyPair;

/** The pool that is served; calls that wait can be taken out of it. */
type Pool = Passwords & Cancellable<SamlXml>;

/** All that a thread reaches over its port. */
export interface Served {
  readonly pool: Pool;
  readonly uploads: Uploads;
  readonly keyPairs: KeyPairs;
}

type Cancellable<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: [...A, options?: CallOptions]) => R : never;
};

/** What an error says of itself besides its message: on the way between threads it loses its class. `outcome`: of a store that did not answer. */
interface Said {
  readonly name: string;
  readonly outcome?: string;
}

/** What comes back. */
type Reply =
  | readonly [id: number, kind: 'value', value: Value]
  | readonly [id: number, kind: 'full', lane: LaneName]
  | readonly [id: number, kind: 'error', message: string, said: Said];

/** Serves the calls of one thread. When the port closes, what still waits for that thread is taken out of the lanes. */
export function servePool(served: Served, port: MessagePort): void {
  const running = new Map<number, AbortController>();
  const replies = new Outbox<Reply>(port);

  const start = (call: Call): void => {
    const [id, kind] = call;
    if (kind === 'cancel') {
      running.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    running.set(id, controller);
    perform(served, call, controller.signal)
      .then(
        (value) => replies.add([id, 'value', value], typeof value === 'object' && 'kind' in value ? memoryOf(value) : []),
        (error: unknown) => replies.add(refusal(id, error)),
      )
      .finally(() => running.delete(id));
  };

  port.on('message', (calls: readonly Call[]) => calls.forEach(start));
  port.on('close', () => {
    replies.close();
    for (const controller of running.values()) controller.abort();
  });
}

function perform({ pool, uploads, keyPairs }: Served, call: Exclude<Call, { 1: 'cancel' }>, signal: AbortSignal): Promise<Value> {
  if (call[1] === 'key-pair') return keyPairs.keyPairFor(call[2], call[3]);
  if (call[1] === 'upload') return uploads.takeUpload(call[2], call[3], call[4]);
  if (call[1] === 'hash') return pool.hashPassword(call[2], call[3], { lane: call[4], signal });
  if (call[1] === 'metadata') return pool.readIdpMetadata(call[2], { signal });
  if (call[1] === 'check') return pool.checkSamlResponse(call[2], { signal });
  return pool.verifyPassword(call[2], call[3], call[4], { signal });
}

function refusal(id: number, error: unknown): Reply {
  if (error instanceof LaneFullError) return [id, 'full', error.lane];
  if (!(error instanceof Error)) return [id, 'error', String(error), { name: 'Error' }];
  const { name, message } = error;
  const isOutcomeTold = 'outcome' in error && typeof error.outcome === 'string';
  return [id, 'error', message, isOutcomeTold ? { name, outcome: String(error.outcome) } : { name }];
}

/** The pool as the owner of the other end of a served port sees it. */
export function connectPool(port: MessagePort): Passwords & SamlXml & Uploads & KeyPairs & { close(): void } {
  return new RemotePool(port);
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

class RemotePool implements Passwords, SamlXml, Uploads, KeyPairs {
  readonly #port: MessagePort;
  readonly #calls: Outbox<Call>;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #closed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#calls = new Outbox(port);
    port.on('message', (replies: readonly Reply[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    port.on('close', () => this.#rejectAll());
  }

  hashPassword(password: string, parameters: HashParameters, { lane = 'hash', signal }: HashOptions = {}): Promise<string> {
    return this.#call((id) => [id, 'hash', password, parameters, lane], signal);
  }

  verifyPassword(password: string, hash: string, firebaseSignerKey: string | null, { signal }: CallOptions = {}): Promise<boolean> {
    return this.#call((id) => [id, 'verify', password, hash, firebaseSignerKey], signal);
  }

  unknownUserHash(parameters: HashParameters): Promise<string> {
    return Promise.resolve(unknownUserHash(parameters));
  }

  takeUpload(body: Uint8Array<ArrayBuffer>, rules: UploadRules, place: UploadPlace | undefined): Promise<TakenUpload> {
    return this.#call((id) => [id, 'upload', body, rules, place], undefined, [body.buffer]);
  }

  keyPairFor(purpose: string, isWaitedFor: boolean): Promise<RsaKeyPair> {
    return this.#call((id) => [id, 'key-pair', purpose, isWaitedFor]);
  }

  readIdpMetadata(metadata: string): Promise<IdpMetadata | undefined> {
    return this.#call((id) => [id, 'metadata', metadata]);
  }

  checkSamlResponse(question: SamlQuestion): Promise<SamlAnswer> {
    return this.#call((id) => [id, 'check', question]);
  }

  /** Closes the port; what is under way rejects. */
  close(): void {
    this.#rejectAll();
    this.#port.close();
  }

  #call<T>(call: (id: number) => Call, signal?: AbortSignal, gives: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.#closed) return Promise.reject(portClosed());
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#calls.add(call(id), gives);
      signal?.addEventListener('abort', () => this.#cancel(id, signal.reason), { once: true });
    });
  }

  #cancel(id: number, reason: unknown): void {
    const pending = this.#pending.get(id);
    if (!pending || this.#closed) return;
    this.#pending.delete(id);
    this.#calls.add([id, 'cancel']);
    pending.reject(reason);
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply[0]);
    // A cancelled call may still be answered.
    if (!pending) return;
    this.#pending.delete(reply[0]);
    if (reply[1] === 'value') pending.resolve(reply[2] as never);
    else pending.reject(reply[1] === 'full' ? new LaneFullError(reply[2]) : Object.assign(new Error(reply[2]), reply[3]));
  }

  #rejectAll(): void {
    this.#closed = true;
    this.#calls.close();
    for (const pending of this.#pending.values()) pending.reject(portClosed());
    this.#pending.clear();
  }
}

const portClosed = (): Error => new Error('the port to the crypto pool is closed');

/** Collects what is to be sent in a turn of the event loop. */
class Outbox<T> {
  readonly #port: MessagePort;
  #waiting: T[] = [];
  #gives: ArrayBuffer[] = [];
  #closed = false;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** @param gives memory that is given away with the item */
  add(item: T, gives: readonly ArrayBuffer[] = []): void {
    if (this.#closed) return;
    this.#gives.push(...gives);
    // After the sockets of this turn have been read, before the loop waits again.
    if (this.#waiting.push(item) === 1) setImmediate(() => this.#send());
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#gives = [];
  }

  #send(): void {
    const items = this.#waiting;
    const gives = this.#gives;
    this.#waiting = [];
    this.#gives = [];
    if (items.length > 0) this.#port.postMessage(items, gives);
  }
}
