import { expect, test } from 'vitest';
import { Pending } from '../../src/caches/pending.ts';

test('whoever asks while a look-up of the key is under way gets what it answers', async () => {
  const pending = new Pending<string, number>();
  const looked: string[] = [];
  const look = (key: string) => async () => looked.push(key);
  const [a, again, b] = await Promise.all([pending.once('a', look('a')), pending.once('a', look('a')), pending.once('b', look('b'))]);
  expect([a, again, b]).toEqual([1, 1, 2]);
  await pending.once('a', look('a'));
  expect(looked).toEqual(['a', 'b', 'a']);
});

test('what is known at once needs no promise', () => {
  const pending = new Pending<string, number>();
  expect(pending.once('a', () => 1)).toBe(1);
  expect(pending.once('a', () => 2)).toBe(2);
});

test('a look-up that failed is tried again by the next, and fails all who waited', async () => {
  const pending = new Pending<string, number>();
  const fail = (): Promise<number> => Promise.reject(new Error('away'));
  const both = await Promise.allSettled([pending.once('a', fail), pending.once('a', () => 1)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await pending.once('a', () => 3)).toBe(3);
});

test('after clear a look-up begins anew, and the end of the older one does not end it', async () => {
  const pending = new Pending<string, string>();
  const answers: ((answer: string) => void)[] = [];
  const look = (): Promise<string> => new Promise((answer) => answers.push(answer));
  const first = pending.once('a', look);
  pending.clear();
  const second = pending.once('a', look);
  answers[0]?.('old');
  expect(await first).toBe('old');
  const third = pending.once('a', () => 'asked again');
  answers[1]?.('new');
  expect([await second, await third]).toEqual(['new', 'new']);
});
