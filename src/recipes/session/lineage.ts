import type { SessionRecord } from '../session-records/records.ts';

/** What a refresh token says of itself: its own hash2, and the hash2 of the token it was exchanged for. */
export interface PresentedToken {
  readonly hash2: string;
  readonly parentHash2: string | null;
}

export type ReuseSubtype = 'RECENT_PREV' | 'ORPHANED_BRANCH' | 'STALE_LINEAGE';

/** What a refresh does to the row (contract 02 section 2.4). */
export type RefreshDecision =
  /** The token is current: a sibling is minted, the row keeps pointing at the token. */
  | { readonly kind: 'sibling' }
  /** The token is the unpromoted child of the current one: it becomes current, then a child of it is minted. */
  | { readonly kind: 'promote' }
  /** The minted token becomes current and the presented one its predecessor. */
  | { readonly kind: 'rotate' }
  /** The presented token was replaced a moment ago: the minted token becomes current in place of the lost one. */
  | { readonly kind: 'rotate-again' }
  | { readonly kind: 'reuse'; readonly subtype: ReuseSubtype };

/** Below CDI 5.6 the old token stays usable until its child is first used. */
export function decideLegacyRefresh(row: SessionRecord, token: PresentedToken): RefreshDecision {
  if (token.hash2 === row.refreshHash) return { kind: 'sibling' };
  if (token.parentHash2 === row.refreshHash) return { kind: 'promote' };
  return { kind: 'reuse', subtype: 'STALE_LINEAGE' };
}

/** From CDI 5.6 on every refresh rotates, with a grace window for answers that got lost. */
export function decideRotatingRefresh(row: SessionRecord, token: PresentedToken, graceMs: number, now: number): RefreshDecision {
  if (token.hash2 === row.refreshHash || token.parentHash2 === row.refreshHash) return { kind: 'rotate' };
  const previous = row.previousRefreshHash;
  if (previous === null) return { kind: 'reuse', subtype: 'STALE_LINEAGE' };
  if (token.hash2 === previous) {
    // A rotation that lies ahead is in grace too (contract 02 section 2.4): of a store that was moved, or by a clock.
    const inGrace = row.rotatedAt !== null && now <= row.rotatedAt + graceMs;
    return inGrace ? { kind: 'rotate-again' } : { kind: 'reuse', subtype: 'RECENT_PREV' };
  }
  return { kind: 'reuse', subtype: token.parentHash2 === previous ? 'ORPHANED_BRANCH' : 'STALE_LINEAGE' };
}

/** Makes a token current: the one it replaces becomes the previous one (invariant of contract 02 section 1.1). */
export function withCurrent(row: SessionRecord, hash2: string, now: number, expiresAt: number): SessionRecord {
  return { ...row, refreshHash: hash2, previousRefreshHash: row.refreshHash, rotatedAt: now, expiresAt };
}

/** True when a token of this lineage may still be served by the stateless verify of CDI 5.6. */
export function holdsLineage(row: SessionRecord, own: string, parent: string | null): boolean {
  const isKnown = (hash: string): boolean => hash === row.refreshHash || hash === row.previousRefreshHash;
  return isKnown(own) || (parent !== null && isKnown(parent));
}
