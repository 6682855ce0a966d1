import { defineCollection } from '../../store/collection.ts';
import type { AuditEvent } from './event.ts';
import type { EventKind } from './kinds.ts';

/** An event that was committed with its change and has no place in the trail yet. */
export interface PendingEvent {
  /** ms since the epoch */
  readonly at: number;
  readonly id: string;
  /** The event as JSON: the bytes that are sealed. */
  readonly text: string;
}

/** Written by every change, each under a key of its own: no two changes meet here. */
export const pendingEvents = defineCollection({
  id: 70,
  name: 'audit_pending',
  scope: 'core',
  format: 1,
  fields: { at: 1, id: 2, text: 3 },
  key: (event: PendingEvent) => [event.at, event.id],
});

/** Some events that follow each other, sealed together. */
export interface Block {
  /** Sequence number of its last event, by which the block is called. */
  readonly last: number;
  /** ms since the epoch; never less than that of the block before, nor than the times of its events. */
  readonly sealedAt: number;
  /** As JSON, in the order of the trail. */
  readonly events: readonly string[];
  /** What `hashOf` makes of the hash of the block before and of this one. */
  readonly hash: string;
}

/** An event of a block. Blocks are written by the job that seals, of texts that `recordEvent` made. */
export const parseEvent = (text: string): AuditEvent => JSON.parse(text) as AuditEvent;

/** What blocks are looked up by in an app: everything there, the events of one kind, or of a user. */
export type Subject = 'all' | `kind ${EventKind}` | `user ${string}`;

/** Of some events, each once: a block stands in the index once for all its events of a user. */
function subjectsOf(events: readonly AuditEvent[]): readonly (readonly [cud: string, appId: string, subject: Subject])[] {
  const subjects = events.flatMap(({ connectionUriDomain, appId, kind, userId }) => {
    const named: Subject[] = ['all', `kind ${kind}`];
    if (userId !== undefined) named.push(`user ${userId}`);
    return named.map((subject) => [connectionUriDomain, appId, subject] as const);
  });
  return [...new Map(subjects.map((subject) => [subject.join('\0'), subject])).values()];
}

/** The sealed trail. */
export const blocks = defineCollection({
  id: 71,
  name: 'audit_blocks',
  scope: 'core',
  format: 1,
  fields: { last: 1, sealedAt: 2, events: 3, hash: 4 },
  key: (block: Block) => [block.last],
  indexes: {
    byTime: { id: 1, keys: (block) => [[block.sealedAt]] },
    bySubject: { id: 2, keys: (block) => subjectsOf(block.events.map(parseEvent)) },
  },
});

/** One of the two ends of what is kept of the trail. */
export interface TrailEnd {
  /** `head`: the newest block; `anchor`: the newest of those that were removed. */
  readonly name: 'head' | 'anchor';
  readonly last: number;
  readonly sealedAt: number;
  readonly hash: string;
}

/** The head is read and written by the job that seals alone, the anchor by the one that trims. */
export const trailEnds = defineCollection({
  id: 72,
  name: 'audit_ends',
  scope: 'core',
  format: 1,
  fields: { name: 1, last: 2, sealedAt: 3, hash: 4 },
  key: (end: TrailEnd) => [end.name],
});
