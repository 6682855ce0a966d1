import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Transaction } from '../../store/store.ts';
import type { Actor, AuditEvent, Details, EventPlace } from './event.ts';
import { type EventKind, KINDS } from './kinds.ts';
import { pendingEvents } from './records.ts';
import type { AuditTrail } from './trail.ts';

/** Who changes something, and through what; the context of a request is one. */
export interface Recorder {
  readonly trail: AuditTrail;
  readonly actor: Actor;
  readonly via: string;
  readonly requestId?: string | undefined;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Where it happens, unless the event says another place. */
  readonly tenant: EventPlace;
}

/** What a verb says of an event. */
export interface Happening {
  /** As the caller knows the user. */
  readonly userId?: string | undefined;
  readonly details?: Details;
  /** Where it happened, if not where the request was addressed. */
  readonly at?: EventPlace;
  /** Who did it, if it is known better than by the API key. */
  readonly by?: Actor;
}

/** Longer ones say nothing to people. */
const MOST_TEXT = 512;

/**
 * Writes an event in the transaction of its change: both are kept or neither. It reads nothing, and writes one row
 * under a key that no other transaction touches. Without a trail it does nothing.
 */
export function recordEvent(tx: Transaction, recorder: Recorder, kind: EventKind, happening: Happening = {}): MaybePromise<void> {
  if (recorder.trail.isOn) return writeEvent(tx, recorder, kind, happening);
}

/** `recordEvent`, whatever the option says: for what is told of the trail itself. */
export function writeEvent(tx: Transaction, recorder: Recorder, kind: EventKind, happening: Happening = {}): MaybePromise<void> {
  const { trail, now, via, requestId } = recorder;
  const { userId, details, at: place = recorder.tenant, by: actor = recorder.actor } = happening;
  const { id, at } = trail.stamp(now());
  const event: AuditEvent = {
    id,
    at,
    kind,
    actor,
    via,
    connectionUriDomain: place.cud,
    appId: place.appId,
    ...(KINDS[kind].of === 'tenant' && { tenantId: place.tenantId }),
    ...(userId !== undefined && { userId: short(userId) }),
    ...(requestId !== undefined && { requestId: short(requestId) }),
    ...(details && { details: shortened(details) }),
  };
  // The key is new, so nothing is read; a unique index, whose name might come back, there is none.
  return whenReady(tx.insert(pendingEvents, { at, id, text: JSON.stringify(event) }), () => {});
}

/** Ids and names that callers make up can have megabytes. */
function short(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1)}…`;
}

function shortened(details: Details): Details {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, typeof value === 'string' ? short(value) : value]));
}
