import { expect, test } from 'vitest';
import { Remembered } from '../../src/caches/remembered.ts';

test('what is used stays, however many others come', () => {
  const remembered = new Remembered<number, string>(10);
  remembered.set(0, 'used');
  for (let other = 1; other < 1_000; other++) {
    remembered.set(other, 'other');
    expect(remembered.get(0)).toBe('used');
  }
});

test('the entries that were used last are there, and no more than the capacity', () => {
  const remembered = new Remembered<number, number>(10);
  for (let key = 0; key < 1_000; key++) remembered.set(key, key);
  const kept = Array.from({ length: 1_000 }, (_, key) => key).filter((key) => remembered.get(key) !== undefined);
  expect(kept.length).toBeLessThanOrEqual(10);
  expect(kept).toEqual(expect.arrayContaining([995, 996, 997, 998, 999]));
});

test('a newer value takes the place of the older one', () => {
  const remembered = new Remembered<string, number>(2);
  remembered.set('a', 1);
  remembered.set('a', 2);
  expect(remembered.get('a')).toBe(2);
});
