import { describe, expect, test } from 'vitest';
import {
  dynamicSigningKey,
  isRotationDue,
  isSigningKeyMissing,
  type KeyTimes,
  keySetMaxAge,
  verifiableKeys,
} from '../../../src/recipes/signing-keys/key-life.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The defaults: I = 168 h, O = 60 s, V = 1 h, L = 170 h. */
const times: KeyTimes = { intervalMs: 168 * HOUR, overlapMs: MINUTE, accessTokenValidityMs: HOUR, verifiableMs: 170 * HOUR };
const key = (createdAt: number) => ({ createdAt });

describe('signing key life (contract 02 section 1.4)', () => {
  test('a first key signs at once, and is due where there is none', () => {
    expect(isRotationDue([], times, 0)).toBe(true);
    expect(isSigningKeyMissing([], times, 0)).toBe(true);
    expect(dynamicSigningKey([key(0)], times, 0)).toEqual(key(0));
  });

  test('a successor is due one minute before the interval ends, and signing still works until then', () => {
    expect(isRotationDue([key(0)], times, 168 * HOUR - MINUTE)).toBe(false);
    expect(isRotationDue([key(0)], times, 168 * HOUR - MINUTE + 1)).toBe(true);
    expect(isSigningKeyMissing([key(0)], times, 168 * HOUR - 1)).toBe(false);
    expect(isSigningKeyMissing([key(0)], times, 168 * HOUR)).toBe(true);
  });

  test('a new key is published for a minute before it signs, while the old one is within its interval', () => {
    const born = 168 * HOUR - MINUTE + 1;
    const keys = [key(born), key(0)];
    expect(dynamicSigningKey(keys, times, born + 1000)).toEqual(key(0));
    expect(dynamicSigningKey(keys, times, 168 * HOUR)).toEqual(key(born));
    expect(dynamicSigningKey(keys, times, born + MINUTE)).toEqual(key(born));
  });

  test('of several made within a minute, none signs before its minute is over', () => {
    const keys = [key(HOUR + 2000), key(HOUR + 1000), key(0)];
    expect(dynamicSigningKey(keys, times, HOUR + 3000)).toEqual(key(0));
    expect(dynamicSigningKey(keys, times, HOUR + 1000 + MINUTE)).toEqual(key(HOUR + 1000));
    expect(dynamicSigningKey(keys, times, HOUR + 2000 + MINUTE)).toEqual(key(HOUR + 2000));
    expect(dynamicSigningKey(keys.slice(0, 2), times, HOUR + 3000), 'where all are too young').toEqual(key(HOUR + 1000));
  });

  test('a key made late signs at once, since its predecessor is past its interval', () => {
    const born = 200 * HOUR;
    expect(dynamicSigningKey([key(born), key(0)], times, born)).toEqual(key(born));
  });

  test('a key verifies for its interval and two token lives', () => {
    expect(verifiableKeys([key(0)], times, 170 * HOUR)).toEqual([key(0)]);
    expect(verifiableKeys([key(0)], times, 170 * HOUR + 1)).toEqual([]);
  });

  test('a key that was made before the clock was set back signs, verifies, and has no successor before its time', () => {
    const day = 24 * HOUR;
    expect(isRotationDue([key(day)], times, 0)).toBe(false);
    expect(isSigningKeyMissing([key(day)], times, 0)).toBe(false);
    expect(dynamicSigningKey([key(day)], times, 0)).toEqual(key(day));
    expect(dynamicSigningKey([key(day), key(-100 * HOUR)], times, 0)).toEqual(key(-100 * HOUR));
    expect(dynamicSigningKey([key(day), key(-168 * HOUR)], times, 0)).toEqual(key(day));
    expect(verifiableKeys([key(day)], times, 0)).toEqual([key(day)]);
  });

  test('the key set may be cached until the next key is published', () => {
    expect(keySetMaxAge([key(0)], times, 0)).toBe(604_740);
    expect(keySetMaxAge([key(0)], times, 168 * HOUR)).toBe(1);
    expect(keySetMaxAge([], times, 0)).toBe(1);
  });
});
