import { describe, expect, test } from 'vitest';
import { Pace } from '../../src/jobs/pace.ts';

/** Limits of so many batches, whose pieces take so many ms each. */
function limits(pace: Pace, msPerPiece: number, batches: number): number[] {
  return Array.from({ length: batches }, () => {
    const { limit } = pace;
    pace.took(limit * msPerPiece);
    return limit;
  });
}

describe('the pace of a job', () => {
  test('finds batches of twenty milliseconds', () => {
    const pace = new Pace();
    expect(limits(pace, 0.1, 4)).toEqual([100, 200, 200, 200]);
    expect(limits(pace, 0.8, 3)).toEqual([200, 25, 25]);
    expect(limits(pace, 0.001, 7)).toEqual([25, 50, 100, 200, 400, 500, 500]);
  });

  test('does twenty pieces at least, however long that takes', () => {
    const pace = new Pace();
    expect(limits(pace, 5_000, 3)).toEqual([100, 20, 20]);
  });

  test('rests as long as a batch took, within reason', () => {
    const pace = new Pace();
    expect(pace.took(7)).toBe(7);
    expect(pace.took(35)).toBe(35);
    expect(pace.took(60_000)).toBe(1_000);
  });
});
