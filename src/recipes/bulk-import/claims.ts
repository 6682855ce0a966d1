import { fencedStore } from '../../store/fenced.ts';
import type { AppNumber, Reader, Store, Transaction } from '../../store/store.ts';
import { appIn, behindPlace, placeIn, type QueueClaim, type QueueKey, type QueuePlace, queueClaims, queueEntries } from './records.ts';

/** A worker silent for so long has died. At worst time is lost: an entry is imported once, whoever holds the claim. */
export const CLAIM_MS = 10_000;
/** Claims of one app: as many as workers of all processes, which are few. */
const MOST_CLAIMS = 1000;

/** What a worker asks for. */
export interface ClaimRequest {
  readonly app: AppNumber;
  /** A random id of the worker, which holds one claim of an app at a time. */
  readonly owner: string;
  /** ms that entries wait before they may be taken. */
  readonly delayMs: number;
  /** Entries at most. */
  readonly most: number;
  /** ms since the epoch, by the clock that all share who may hold a claim. */
  readonly now: number;
}

/** Times between which an entry came, ms since the epoch; `until` itself is outside. */
interface Stretch {
  readonly since: number;
  readonly until: number;
}

/** An entry so far ahead of now is from before the clock was set back: it need not wait for that time to come again. */
const AHEAD_MS = 60_000;

/** When entries that may be taken now came: long enough ago, or at a time still to come. */
const dueStretches = (now: number, delayMs: number): readonly Stretch[] => [
  { since: 0, until: now - delayMs + 1 },
  { since: now + AHEAD_MS + 1, until: Number.MAX_SAFE_INTEGER },
];

/** Whether an entry that came at a time may be taken now. */
export const isDue = (cameAt: number, now: number, delayMs: number): boolean =>
  dueStretches(now, delayMs).some(({ since, until }) => cameAt >= since && cameAt < until);

/** A claimed piece and the entries that it had, in their order. */
export interface ClaimedPiece {
  readonly claim: QueueClaim;
  readonly places: readonly QueuePlace[];
}

/** The first app at or behind a number that has new entries, and when the oldest of them came. */
export async function nextWaitingApp(store: Store, from: number): Promise<{ readonly app: AppNumber; readonly since: number } | undefined> {
  const range = { prefix: ['NEW'], from: ['NEW', from], limit: 1 } as const;
  const [entry] = await store.read((reader) => reader.entries(queueEntries, 'byStatus', range));
  return entry && { app: appIn(entry), since: placeIn(entry).createdAt };
}

/** Claims the oldest unclaimed new entries of an app; undefined if there are none. Removes claims that have ended. */
export function claimPiece(store: Store, { app, owner, delayMs, most, now }: ClaimRequest): Promise<ClaimedPiece | undefined> {
  return store.transact(async (tx) => {
    const claims = await tx.list(queueClaims, undefined, { prefix: [app], limit: MOST_CLAIMS });
    const others: QueueClaim[] = [];
    for (const claim of claims) {
      if (claim.owner !== owner && isHeld(claim, now)) others.push(claim);
      else await tx.delete(queueClaims, queueClaims.key(claim));
    }
    const found = await firstDue(tx, app, others, dueStretches(now, delayMs), most);
    const [first, last] = [found.at(0), found.at(-1)];
    if (!first || !last) return undefined;
    const claim = { app, first, last, owner, heldUntil: now + CLAIM_MS };
    await tx.put(queueClaims, claim);
    return { claim, places: found };
  });
}

/** No claim is held for longer than it lasts: one that seems to be is from before the clock was set back. */
const isHeld = ({ heldUntil }: QueueClaim, now: number): boolean => heldUntil > now && heldUntil <= now + CLAIM_MS;

/** The first unclaimed entries of the first stretch that has any. */
async function firstDue(
  tx: Transaction,
  app: AppNumber,
  others: readonly QueueClaim[],
  stretches: readonly Stretch[],
  most: number,
): Promise<readonly QueuePlace[]> {
  for (const stretch of stretches) {
    const found = await firstGap(tx, app, others, stretch, most);
    if (found.length > 0) return found;
  }
  return [];
}

/** The first entries of a stretch that lie before, between or behind the claims of others. */
async function firstGap(
  tx: Transaction,
  app: AppNumber,
  others: readonly QueueClaim[],
  { since, until }: Stretch,
  most: number,
): Promise<readonly QueuePlace[]> {
  const within = others.filter(({ first, last }) => last.createdAt >= since && first.createdAt < until);
  let from: QueueKey = ['NEW', app, since];
  for (const claim of [...within, undefined]) {
    const end = claim ? before(app, claim.first) : (['NEW', app, until] as const);
    const found = await tx.entries(queueEntries, 'byStatus', { prefix: ['NEW', app], from, until: end, limit: most });
    if (found.length > 0) return found.map(placeIn);
    if (claim) from = behindPlace('NEW', app, claim.last);
  }
  return [];
}

/** Where a place of the queue begins in the index of new entries. */
const before = (app: AppNumber, { createdAt, id }: QueuePlace): QueueKey => ['NEW', app, createdAt, id];

/** A transaction was refused: another worker has the claim by now. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** The store for what is done under a claim: of a worker that lost it, paused for too long, nothing is kept. */
export function storeUnder(store: Store, claim: QueueClaim): Store {
  return fencedStore(store, async (reader: Reader) => {
    if ((await reader.get(queueClaims, queueClaims.key(claim)))?.owner !== claim.owner) throw new ClaimLost();
  });
}

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
