import type { EventKind } from './kinds.ts';

/** Who changed something. */
export type Actor =
  /** The name of a kept API key; those of the configuration have no names and are all called `configured`. */
  | { readonly type: 'api-key'; readonly name: string }
  /** Whoever reaches the port: no key is asked for. */
  | { readonly type: 'no-key' }
  /** A user of the dashboard, by id. */
  | { readonly type: 'operator'; readonly name: string }
  /** The core itself. */
  | { readonly type: 'system' }
  /** Whoever can write the data folder. */
  | { readonly type: 'command-line' };

export const NO_KEY: Actor = { type: 'no-key' };
export const CONFIGURED_KEY: Actor = { type: 'api-key', name: 'configured' };
export const COMMAND_LINE: Actor = { type: 'command-line' };
export const SYSTEM: Actor = { type: 'system' };

/** What else is to be said of an event: flat, and never a secret, a token, an email or a phone number. */
export type Details = Readonly<Record<string, string | number | boolean>>;

/** Where something was changed: the ids as callers know them, which outlive what they name. */
export interface EventPlace {
  /** `''` for the default connection URI domain. */
  readonly cud: string;
  readonly appId: string;
  readonly tenantId: string;
}

/** An event, as it is kept and shown. */
export interface AuditEvent {
  /** Unlike that of any other event. */
  readonly id: string;
  /** ms since the epoch by the clock of the node; in one thread it never goes back. */
  readonly at: number;
  readonly kind: EventKind;
  readonly actor: Actor;
  /** The endpoint, as `POST /recipe/signup`, or the job or command, through which it was changed. */
  readonly via?: string;
  readonly connectionUriDomain: string;
  readonly appId: string;
  /** Of kinds that happen in a tenant. */
  readonly tenantId?: string;
  /** The id by which the caller knew the user when it happened. */
  readonly userId?: string;
  /** What the request called itself, in the header `x-request-id`. */
  readonly requestId?: string;
  readonly details?: Details;
}

/** An event with its place in the trail. */
export interface SealedEvent extends AuditEvent {
  /** 1 for the first event of the store, with no gaps. */
  readonly sequence: number;
}
