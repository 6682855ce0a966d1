import type { Post, PostOutcome } from '../../../src/outbound/outbound.ts';
import { recordEvent } from '../../../src/recipes/audit/record-event.ts';
import type { EventKind } from '../../../src/recipes/audit/kinds.ts';
import { NO_KEY } from '../../../src/recipes/audit/event.ts';
import { sealEvents } from '../../../src/recipes/audit/seal.ts';
import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import type { JobServices } from '../../../src/recipes/recipe.ts';
import { type DeliveryReport, WebhookDeliverer } from '../../../src/recipes/webhooks/deliverer.ts';
import type { Store } from '../../../src/store/store.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';

const WEBHOOKS = '/manage/v1/webhooks';

/** What arrived at a receiver. */
export interface Arrived {
  readonly user: string;
  readonly sequence: number;
  readonly type: string;
  readonly post: Post;
}

const APP = { cud: '', appId: 'public', tenantId: 'public' };

/** A core without threads, whose trail, clock and receivers a test holds in its hands. */
export class WebhookWorld {
  readonly core: InProcessCore;
  readonly arrived: Arrived[] = [];
  readonly reports: DeliveryReport[] = [];
  /** How often a deliverer had to wait. */
  idles = 0;
  /** What receivers answer. */
  answer: (arrived: Arrived) => PostOutcome | Promise<PostOutcome> = () => ({ status: 200 });
  /** How many attempts were under way at most. */
  mostAtOnce = 0;
  #atOnce = 0;

  constructor(core: InProcessCore) {
    this.core = core;
  }

  static async open(given?: Store): Promise<WebhookWorld> {
    return new WebhookWorld(await openInProcessCore('5.4', { WEBHOOK_ALLOW_PRIVATE: 'true' }, given));
  }

  /** A webhook of the base app; answers its id. */
  async add(more: object = {}): Promise<string> {
    const body = await this.call('POST', '', { url: 'https://receiver.example/', kinds: ['*'], ...more });
    return (body['webhook'] as { id: string }).id;
  }

  /** The body of an answer, which must be one with status 200. */
  async call(method: string, path: string, body?: object, at = ''): Promise<Readonly<Record<string, unknown>>> {
    const answer = await checkedCall(this.core, method, `${at}${WEBHOOKS}${path}`, body);
    if (answer.status !== 200) throw new Error(`${answer.status} ${String(answer.body['text'])}`);
    return answer.body;
  }

  /** A webhook as lists show it. */
  async shown(id: string): Promise<Readonly<Record<string, unknown>>> {
    const { webhooks } = await this.call('GET', '');
    const found = (webhooks as readonly { readonly id: string }[]).find((one) => one.id === id);
    if (!found) throw new Error(`there is no webhook ${id}`);
    return { ...found };
  }

  /** Events of users, in this order, sealed. */
  async happen(users: readonly string[], kind: EventKind = 'user.disabled', place = APP): Promise<void> {
    const { store, now, trail } = this.core.services;
    const recorder = { trail, now, actor: NO_KEY, via: 'test', tenant: place };
    await store.transact(async (tx) => {
      for (const userId of users) await recordEvent(tx, recorder, kind, userId === '' ? {} : { userId });
    });
    await this.seal();
  }

  async seal(): Promise<void> {
    const { store, now } = this.core.services;
    while (await sealEvents(store, now(), 100));
  }

  deliverer(): WebhookDeliverer {
    return new WebhookDeliverer({
      post: (post) => this.#arrive(post),
      elapsed: () => performance.now(),
      randomUnit: () => 1,
      idle: async () => {
        this.idles += 1;
      },
      report: (report) => this.reports.push(report),
      count: () => {},
    });
  }

  services(store: Store = this.core.services.store): JobServices {
    const { directory, trail, now } = this.core.services;
    return { store, directory, trail, now, collections: COLLECTIONS };
  }

  /** Delivers all that is due now. */
  async deliver(deliverer = this.deliverer(), services = this.services()): Promise<void> {
    await deliverer.job.run(services, 100);
    await deliverer.stop();
    // A failure of a task shows at the next run.
    await deliverer.job.run(services, 100);
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.core.clock.now += ms;
  }

  /** The users of what arrived so far, and forgets it. */
  takeUsers(): readonly string[] {
    return this.arrived.splice(0).map(({ user }) => user);
  }

  async #arrive(post: Post): Promise<PostOutcome> {
    const { type, data } = JSON.parse(post.body) as { type: string; data: { userId?: string; sequence: number } };
    const arrived = { user: data.userId ?? '', sequence: data.sequence, type, post };
    this.arrived.push(arrived);
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      return await this.answer(arrived);
    } finally {
      this.#atOnce -= 1;
    }
  }
}
