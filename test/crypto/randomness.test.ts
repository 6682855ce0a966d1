import { describe, expect, it } from 'vitest';
import { Randomness } from '../../src/crypto/randomness.ts';

describe('randomness', () => {
  it('answers as many bytes as asked for', () => {
    const random = new Randomness();
    for (const size of [0, 1, 12, 64, 8191, 8192, 8193, 100_000]) expect(random.bytes(size)).toHaveLength(size);
  });

  it('never hands out the same bytes twice, across refills and threads', () => {
    const sources = [new Randomness(), new Randomness()];
    const drawn = sources.flatMap((random) => Array.from({ length: 5000 }, () => random.bytes(16).toString('hex')));
    expect(new Set(drawn).size).toBe(drawn.length);
  });

  it('hands out bytes that later draws leave alone', () => {
    const random = new Randomness();
    const first = random.bytes(32);
    const text = first.toString('hex');
    first.fill(0);
    expect(random.bytes(32)).not.toEqual(first);
    const kept = random.bytes(32);
    const before = kept.toString('hex');
    for (let draw = 0; draw < 1000; draw += 1) random.bytes(32);
    expect(kept.toString('hex')).toBe(before);
    expect(before).not.toBe(text);
  });

  it('fills a request that is larger than what it keeps', () => {
    const large = new Randomness().bytes(100_000);
    // Every byte value is to be expected some 390 times.
    expect(new Set(large).size).toBe(256);
    expect(large.subarray(-64).every((byte) => byte === 0)).toBe(false);
  });

  it('answers units in [0, 1), evenly', () => {
    const random = new Randomness();
    const units = Array.from({ length: 20_000 }, () => random.unit());
    expect(units.every((unit) => unit >= 0 && unit < 1)).toBe(true);
    const mean = units.reduce((sum, unit) => sum + unit, 0) / units.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.02);
  });
});
