import type { Config } from '../../config/config.ts';

/** How long before a dynamic key completes its interval its successor is published (contract 02 section 1.4). */
const OVERLAP_MS = 60_000;

/** The times that govern the signing keys of an app, ms (contract 02 section 1.4). */
export interface KeyTimes {
  /** I: how long a dynamic key signs. */
  readonly intervalMs: number;
  /** O: how long a key is published before it signs. */
  readonly overlapMs: number;
  /** V: life of an access token. */
  readonly accessTokenValidityMs: number;
  /** L = I + 2V: how long a dynamic key verifies, counted from its creation. */
  readonly verifiableMs: number;
}

/** Computed from the current configuration at every use, so that a change applies to keys that exist already. */
export function keyTimes(appConfig: Config, testMode: boolean): KeyTimes {
  const intervalMs = Math.trunc(appConfig.access_token_dynamic_signing_key_update_interval * 3_600_000);
  const accessTokenValidityMs = appConfig.access_token_validity * 1000;
  return {
    intervalMs,
    overlapMs: testMode && intervalMs < OVERLAP_MS ? Math.trunc(intervalMs / 5) : OVERLAP_MS,
    accessTokenValidityMs,
    verifiableMs: intervalMs + 2 * accessTokenValidityMs,
  };
}

/** What the rules below need of a key. */
export interface Dated {
  readonly createdAt: number;
}

/** True when the list of dynamic keys (newest first) needs a new one before `now` is served. */
export function isRotationDue(dynamic: readonly Dated[], times: KeyTimes, now: number): boolean {
  const newest = dynamic[0];
  return newest === undefined || now + times.overlapMs > newest.createdAt + times.intervalMs;
}

/** True when no dynamic key may sign any more, so that a request has to wait for the new one. */
export function isSigningKeyMissing(dynamic: readonly Dated[], times: KeyTimes, now: number): boolean {
  const newest = dynamic[0];
  return newest === undefined || now >= newest.createdAt + times.intervalMs;
}

/**
 * The dynamic key that signs now: the newest that verifiers had time to fetch and that is within its interval. Where
 * all are too young, the one that has been published longest; where none is within its interval, the newest.
 */
export function dynamicSigningKey<K extends Dated>(dynamic: readonly K[], times: KeyTimes, now: number): K | undefined {
  const [newest] = dynamic;
  if (!newest || newest.createdAt + times.overlapMs <= now) return newest;
  // Operators may have made several within a minute.
  const usable = dynamic.filter((key) => now < key.createdAt + times.intervalMs);
  return staticSigningKey(usable, times, now) ?? newest;
}

/** The static key that signs now: the newest that verifiers had time to fetch; the only one at once. */
export function staticSigningKey<K extends Dated>(all: readonly K[], times: KeyTimes, now: number): K | undefined {
  return all.find((key) => key.createdAt + times.overlapMs <= now) ?? all.at(-1);
}

/** The dynamic keys that may verify now, in the given order. */
export function verifiableKeys<K extends Dated>(dynamic: readonly K[], times: KeyTimes, now: number): K[] {
  return dynamic.filter((key) => key.createdAt + times.verifiableMs >= now);
}

/** `max-age` of the published key set, seconds: until the next key is published, at least 1. */
export function keySetMaxAge(dynamic: readonly Dated[], times: KeyTimes, now: number): number {
  const newest = dynamic[0];
  if (!newest) return 1;
  return Math.max(1, Math.trunc((newest.createdAt + times.intervalMs - times.overlapMs - now) / 1000));
}
