import type { SealedEvent } from '../audit/event.ts';
import type { Message, Webhook } from './records.ts';

/** What is posted of an event (Standard Webhooks: a type, a time and data). */
export function messageBody({ kind, at, ...data }: SealedEvent): string {
  return JSON.stringify({ type: kind, timestamp: new Date(at).toISOString(), data });
}

/** A message that was not tried yet. */
export function newMessage({ app, id: webhook }: Webhook, event: SealedEvent): Message {
  return {
    app,
    webhook,
    sequence: event.sequence,
    event: event.id,
    kind: event.kind,
    at: event.at,
    line: event.userId ?? '',
    body: messageBody(event),
    ...UNTRIED,
  };
}

/** As a message begins, and begins anew when it is replayed. */
export const UNTRIED = { attempts: 0, nextAt: 0, firstTriedAt: null, lastTriedAt: null, fault: null } as const;
