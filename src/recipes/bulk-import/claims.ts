import type { Key, Store, Transaction } from '../../store/store.ts';
import { behindPlace, placeIn, type QueueClaim, type QueuePlace, queueClaims, queueEntries } from './records.ts';

/** A worker that says nothing for so long has died. Nothing but time depends on it: an entry is only imported once, whoever holds the claim. */
export const CLAIM_MS = 10_000;
/** Claims of one app: as many as workers of all processes, which are few. */
const MOST_CLAIMS = 1000;

/** What a worker asks for. */
export interface ClaimRequest {
  readonly app: number;
  /** A random id of the worker, which holds one claim of an app at a time. */
  readonly owner: string;
  /** Only entries that came at this time or before; ms since the epoch. */
  readonly cameUntil: number;
  /** Entries at most. */
  readonly most: number;
  /** ms since the epoch. */
  readonly now: number;
}

/** A claimed piece and the entries that it had, in their order. */
export interface ClaimedPiece {
  readonly claim: QueueClaim;
  readonly places: readonly QueuePlace[];
}

/** The first app at or behind a number that has new entries, and when the oldest of them came. */
export async function nextWaitingApp(store: Store, from: number): Promise<{ readonly app: number; readonly since: number } | undefined> {
  const range = { prefix: ['NEW'], from: ['NEW', from], limit: 1 };
  const [entry] = await store.read((reader) => reader.entries(queueEntries, 'byStatus', range));
  const [, app, since] = entry ?? [];
  return typeof app === 'number' && typeof since === 'number' ? { app, since } : undefined;
}

/** Claims the oldest new entries of an app that nobody has claimed; undefined where there are none. Claims that have ended are removed. */
export function claimPiece(store: Store, { app, owner, cameUntil, most, now }: ClaimRequest): Promise<ClaimedPiece | undefined> {
  return store.transact(async (tx) => {
    const claims = await tx.list(queueClaims, undefined, { prefix: [app], limit: MOST_CLAIMS });
    const others: QueueClaim[] = [];
    for (const claim of claims) {
      if (claim.owner !== owner && claim.heldUntil > now) others.push(claim);
      else await tx.delete(queueClaims, queueClaims.key(claim));
    }
    const found = await firstGap(tx, app, others, cameUntil, most);
    const [first, last] = [found.at(0), found.at(-1)];
    if (!first || !last) return undefined;
    const claim = { app, first, last, owner, heldUntil: now + CLAIM_MS };
    await tx.put(queueClaims, claim);
    return { claim, places: found };
  });
}

/** The first entries that lie before, between or behind the claims of others. */
async function firstGap(
  tx: Transaction,
  app: number,
  others: readonly QueueClaim[],
  cameUntil: number,
  most: number,
): Promise<readonly QueuePlace[]> {
  let from: Key = ['NEW', app];
  for (const claim of [...others, undefined]) {
    const found = await tx.entries(queueEntries, 'byStatus', {
      prefix: ['NEW', app],
      from,
      until: claim === undefined || claim.first.createdAt > cameUntil ? ['NEW', app, cameUntil + 1] : before(app, claim.first),
      limit: most,
    });
    if (found.length > 0) return found.map(placeIn);
    if (claim) from = behindPlace('NEW', app, claim.last);
  }
  return [];
}

/** Where a place of the queue begins in the index of new entries. */
const before = (app: number, { createdAt, id }: QueuePlace): Key => ['NEW', app, createdAt, id];

/** Makes a claim last longer; false where another worker took it over, because this one was too slow. */
export function renewClaim(store: Store, claim: QueueClaim, now: number): Promise<boolean> {
  return store.transact(async (tx) => {
    const kept = await tx.get(queueClaims, queueClaims.key(claim));
    if (kept?.owner !== claim.owner) return false;
    await tx.put(queueClaims, { ...claim, heldUntil: now + CLAIM_MS });
    return true;
  });
}

/** Gives a claim back. */
export function releaseClaim(store: Store, claim: QueueClaim): Promise<void> {
  return store.transact(async (tx) => {
    const kept = await tx.get(queueClaims, queueClaims.key(claim));
    if (kept?.owner === claim.owner) await tx.delete(queueClaims, queueClaims.key(claim));
  });
}
