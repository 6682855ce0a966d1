import { setTimeout as later } from 'node:timers/promises';
import type { Store } from '../../store/store.ts';
import { pagesOf } from '../../store/pages.ts';
import { SYSTEM } from '../audit/event.ts';
import type { Recorder } from '../audit/record-event.ts';
import { headOf } from '../audit/seal.ts';
import type { Job, JobServices } from '../recipe.ts';
import { DEFAULT_TENANT_ID } from '../tenants/address.ts';
import { hasCome, LONGEST_WAIT_MS } from './back-off.ts';
import { isAway, isResting } from './judge.ts';
import { type Fates, keepAttempts } from './keep-attempts.ts';
import { MOST_DEAD, MOST_QUEUED, WEBHOOKS_AT_ONCE } from './limits.ts';
import { queuedMessages, type Webhook, webhooks, type WebhookState, webhookStates } from './records.ts';
import { dueLines, nextDueAt, sendBatch, type Sender } from './send-batch.ts';
import { takeEvents } from './take-events.ts';

const JOB_NAME = 'deliver-webhooks';
const EVERY_MS = 1_000;
/** A look goes over all webhooks, but ends in time for the lease to be renewed, and is then gone on with. */
const LOOK_MS = 5_000;
const PAGE = 100;

/** What the thread is told of deliveries. */
export interface DeliveryReport {
  /** Age of the oldest event that waits for a webhook, in ms; 0: none does, or another process sees to them. */
  readonly lagMs: number;
  /** Messages that were given up and are kept. */
  readonly dead: number;
}

/** What a deliverer needs of the world. */
export interface DelivererParts extends Omit<Sender, 'now'> {
  /** Waits where nothing can be done yet. */
  readonly idle: (ms: number) => Promise<unknown>;
  readonly report: (report: DeliveryReport) => void;
  readonly count: (fates: Fates) => void;
}

/** What is remembered of the trail for a webhook, as long as operators change nothing: events do not change. */
interface Seen {
  readonly revision: number;
  /** Events up to this one were looked at, also where the cursor was not worth a write. */
  readonly position: number;
}

/** What is remembered of the queue of a webhook, as long as this process alone serves it. */
interface Queue {
  readonly revision: number;
  /** No message is due before, ms since the epoch. */
  readonly dueAt: number;
  /** When the oldest event happened that waits. */
  readonly oldestAt: number | undefined;
}

/** A webhook with its state. */
interface Served {
  readonly webhook: Webhook;
  readonly state: WebhookState;
}

/** Sends what webhooks want, by one process of the cluster: a job that looks each second, and tasks that it starts. */
export class WebhookDeliverer {
  readonly #parts: DelivererParts;
  readonly #seen = new Map<string, Seen>();
  readonly #queues = new Map<string, Queue>();
  #services: JobServices | undefined;
  readonly #tasks = new Map<string, Promise<void>>();
  #failure: unknown;
  #isStopping = false;
  /** Others wait: tasks end with the batch that runs. */
  #isCrowded = false;
  readonly job: Job;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.job = {
      name: JOB_NAME,
      everyMs: EVERY_MS,
      hasWork: (services) => this.#hasWork(services),
      run: (services) => this.#run(services),
    };
  }

  /** Begins nothing more and resolves when what is under way has ended and is kept: no attempt lasts long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#tasks.values());
  }

  /** Whether anything waits, if only to be told how long. */
  async #hasWork(services: JobServices): Promise<boolean> {
    const { last: head } = await services.store.read(headOf);
    let dead = 0;
    for await (const served of this.#webhooks(services)) {
      const { webhook, state } = served;
      dead += state.dead;
      if (webhook.isEnabled && (state.queued > 0 || !this.#isIdle(served, head, services.now()))) return true;
    }
    this.#parts.report({ lagMs: 0, dead });
    return false;
  }

  /** One look at all webhooks. True while anything is under way or waits: so the lease stays with this process. */
  async #run(services: JobServices): Promise<boolean> {
    // Each lease brings services of its own: before it, others may have served the queues.
    if (this.#services !== services) this.#queues.clear();
    this.#services = services;
    try {
      this.#throwFailure();
      const report = await this.#look(services);
      this.#parts.report(report);
      if (this.#tasks.size > 0) await Promise.race([Promise.all(this.#tasks.values()), later(EVERY_MS)]);
      // The next look follows at once where a run says that there is more.
      else if (report.lagMs > 0) await this.#parts.idle(EVERY_MS);
      this.#throwFailure();
      return this.#tasks.size > 0 || report.lagMs > 0;
    } catch (error) {
      this.#parts.report({ lagMs: 0, dead: 0 });
      throw error;
    }
  }

  /** What a task met, such as the loss of the lease, ends the run. */
  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  async #look(services: JobServices): Promise<DeliveryReport> {
    const { store, now } = services;
    const { elapsed } = this.#parts;
    const until = elapsed() + LOOK_MS;
    const { last: head } = await store.read(headOf);
    const names = new Set<string>();
    let lagMs = 0;
    let dead = 0;
    for await (const served of this.#webhooks(services)) {
      names.add(nameOf(served.webhook));
      dead += served.state.dead;
      if (!served.webhook.isEnabled) continue;
      if (elapsed() < until && !this.#isIdle(served, head, now())) await this.#begin(services, served.webhook);
      lagMs = Math.max(lagMs, now() - (await this.#oldestAt(store, served, now())));
    }
    for (const remembered of [this.#seen, this.#queues])
      for (const name of remembered.keys()) if (!names.has(name)) remembered.delete(name);
    return { lagMs, dead };
  }

  async *#webhooks(services: JobServices): AsyncGenerator<Served, undefined> {
    const pages = pagesOf((page) => services.store.read((reader) => reader.page(webhooks, undefined, { prefix: [], ...page })), PAGE);
    for await (const page of pages) yield* await this.#withStates(services, page);
  }

  /** Webhooks whose apps still exist, with their states. */
  async #withStates({ store, directory }: JobServices, page: readonly Webhook[]): Promise<readonly Served[]> {
    const states = await store.read((reader) =>
      reader.getMany(page.map(({ app, id }) => ({ collection: webhookStates, key: [app, id] as const }))),
    );
    const found = await Promise.all(page.map(({ cud, appId }) => directory.find({ cud, appId, tenantId: DEFAULT_TENANT_ID })));
    return page.flatMap((webhook, at) => {
      const state = states[at];
      // An app may have been removed, and made again under another number.
      return state && found[at]?.app === webhook.app ? [{ webhook, state }] : [];
    });
  }

  #queueOf({ webhook, state }: Served): Queue | undefined {
    const known = this.#queues.get(nameOf(webhook));
    return known?.revision === state.revision ? known : undefined;
  }

  #positionOf({ webhook, state }: Served): number {
    const known = this.#seen.get(nameOf(webhook));
    return known?.revision === state.revision ? Math.max(known.position, state.cursor) : state.cursor;
  }

  #isIdle(served: Served, head: number, now: number): boolean {
    const { state } = served;
    if (isAway(state)) return isResting(state, now);
    const hasDue = state.queued > 0 && hasCome(this.#queueOf(served)?.dueAt ?? 0, now, LONGEST_WAIT_MS);
    const hasNew = state.queued < MOST_QUEUED && this.#positionOf(served) < head;
    return !hasDue && !hasNew;
  }

  async #oldestAt(store: Store, served: Served, now: number): Promise<number> {
    const { webhook, state } = served;
    if (state.queued === 0) return now;
    const known = this.#queueOf(served)?.oldestAt;
    if (known !== undefined) return known;
    const [oldest] = await store.read((reader) => reader.list(queuedMessages, undefined, { prefix: [webhook.app, webhook.id], limit: 1 }));
    return oldest?.at ?? now;
  }

  /** Starts a task for a webhook that has none, once there is room for it. */
  async #begin(services: JobServices, webhook: Webhook): Promise<void> {
    const name = nameOf(webhook);
    if (this.#tasks.has(name) || this.#isStopping) return;
    this.#isCrowded = this.#tasks.size >= WEBHOOKS_AT_ONCE;
    while (this.#tasks.size >= WEBHOOKS_AT_ONCE) await Promise.race(this.#tasks.values());
    this.#isCrowded = false;
    const task = this.#serve(services, webhook)
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .then(() => void this.#tasks.delete(name));
    this.#tasks.set(name, task);
  }

  /** Sends to one webhook, batch after batch, until nothing is due, or others wait. */
  async #serve(services: JobServices, { app, id }: Webhook): Promise<void> {
    while (!this.#isStopping) {
      const [webhook, state] = await services.store.read((reader) =>
        reader.getMany([
          { collection: webhooks, key: [app, id] },
          { collection: webhookStates, key: [app, id] },
        ]),
      );
      if (!webhook?.isEnabled || !state) return;
      if (!(await this.#serveBatch(services, { webhook, state })) || this.#isCrowded) return;
    }
  }

  /** Answers whether there may be more to do at once. */
  async #serveBatch(services: JobServices, served: Served): Promise<boolean> {
    const { store, now } = services;
    const { webhook, state } = served;
    const { revision } = state;
    const taken = isAway(state) ? undefined : await takeEvents(store, webhook, state, this.#positionOf(served));
    if (taken) this.#seen.set(nameOf(webhook), { revision, position: taken.position });
    const messages = await store.read((reader) =>
      reader.list(queuedMessages, undefined, { prefix: [webhook.app, webhook.id], limit: MOST_QUEUED + MOST_DEAD }),
    );
    const lines = dueLines(messages, state, now());
    const attempts = await sendBatch(webhook, state, lines, { ...this.#parts, now }, () => this.#isStopping);
    if (attempts.length > 0) this.#parts.count(await keepAttempts(store, webhook, attempts, recorderFor(services, webhook)));
    const dueAt = attempts.length > 0 ? 0 : nextDueAt(messages);
    this.#queues.set(nameOf(webhook), { revision, dueAt, oldestAt: messages[0]?.at });
    return attempts.length > 0 || taken?.isMore === true;
  }
}

const nameOf = ({ app, id }: Webhook): string => `${app}/${id}`;

/** The core itself, where it changes a webhook. */
function recorderFor({ trail, now }: JobServices, { cud, appId }: Webhook): Recorder {
  return { trail, now, actor: SYSTEM, via: JOB_NAME, tenant: { cud, appId, tenantId: DEFAULT_TENANT_ID } };
}
