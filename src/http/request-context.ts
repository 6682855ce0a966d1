import type { Traits } from '../cdi/traits.ts';
import type { Context, Services, Tenant } from '../recipes/context.ts';
import type { Refusal } from '../recipes/refusal.ts';
import type { Address } from '../recipes/scope.ts';

/** What the pipeline knows of a request once it is let in. */
export interface Admission {
  readonly traits: Traits;
  readonly address: Address;
  readonly protectedMode: boolean;
}

/** The context of one request; the services are the thread's. */
export class RequestContext implements Context {
  readonly store: Context['store'];
  readonly crypto: Context['crypto'];
  readonly directory: Context['directory'];
  readonly keys: Context['keys'];
  readonly activity: Context['activity'];
  readonly server: Context['server'];
  readonly verifiedTokens: Context['verifiedTokens'];
  readonly now: Context['now'];
  readonly randomBytes: Context['randomBytes'];
  readonly randomId: Context['randomId'];
  readonly randomUnit: Context['randomUnit'];
  readonly testMode: boolean;
  readonly traits: Traits;
  readonly address: Address;
  readonly protectedMode: boolean;
  #tenant: Tenant | undefined;
  #late: Refusal | undefined;

  constructor(services: Services, admission: Admission) {
    this.store = services.store;
    this.crypto = services.crypto;
    this.directory = services.directory;
    this.keys = services.keys;
    this.activity = services.activity;
    this.server = services.server;
    this.verifiedTokens = services.verifiedTokens;
    this.now = services.now;
    this.randomBytes = services.randomBytes;
    this.randomId = services.randomId;
    this.randomUnit = services.randomUnit;
    this.testMode = services.testMode;
    this.traits = admission.traits;
    this.address = admission.address;
    this.protectedMode = admission.protectedMode;
  }

  get tenant(): Tenant {
    if (!this.#tenant) throw new Error('this row has no scope guard, so its verb has to find the tenant itself');
    return this.#tenant;
  }

  /** What the scope guard found. */
  enter(tenant: Tenant): void {
    this.#tenant = tenant;
  }

  /** Remembers the first fault of the fields that are checked after the scope guard. */
  keepLate(refusal: Refusal | undefined): void {
    this.#late = refusal;
  }

  checkLate(): void {
    if (this.#late) throw this.#late;
  }
}
