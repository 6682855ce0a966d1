import { describe, expect, test } from 'vitest';
import { Sampler } from '../../../src/observe/traces/sampler.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const caller = { traceId: TRACE, spanId: SPAN };
const never = new Sampler({ ratio: 0, mostPerSecond: 1000 });
const always = new Sampler({ ratio: 1, mostPerSecond: 1000 });

describe('a request with traceparent', () => {
  test.each([
    [`00-${TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-03`],
    [`cc-${TRACE}-${SPAN}-01`],
    [`cc-${TRACE}-${SPAN}-01-what-is-to-come`],
  ])('is traced as part of %s', (header) => expect(never.decide(header)).toEqual({ caller }));

  test.each([[`00-${TRACE}-${SPAN}-00`], [`00-${TRACE}-${SPAN}-02`], [`cc-${TRACE}-${SPAN}-00-more`]])(
    'is not traced where it says so: %s',
    (header) => expect(always.decide(header)).toBeUndefined(),
  );

  test.each([
    [''],
    ['nonsense'],
    [`00-${TRACE}-${SPAN}`],
    [`00-${TRACE}-${SPAN}-1`],
    [`00-${TRACE}-${SPAN}-01-more`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`ff-${TRACE}-${SPAN}-01`],
    [` 00-${TRACE}-${SPAN}-01`],
    ['0'.repeat(10_000)],
  ])('that is malformed counts as none: %s', (header) => {
    expect(never.decide(header)).toBeUndefined();
    expect(always.decide(header)).toEqual({ caller: undefined });
  });
});

test('a request without is traced by chance', () => {
  let drawn = 0;
  const sampler = new Sampler({ ratio: 0.25, mostPerSecond: 1000 }, () => drawn);
  expect(sampler.decide()).toEqual({ caller: undefined });
  drawn = 0.25;
  expect(sampler.decide()).toBeUndefined();
  sampler.use({ ratio: 0.5, mostPerSecond: 1000 });
  expect(sampler.decide()).toEqual({ caller: undefined });
});

test('whoever asks for them, there are so many traces a second and no more', () => {
  let now = 0;
  const sampler = new Sampler({ ratio: 0, mostPerSecond: 2 }, Math.random, () => now);
  const ask = (): boolean => sampler.decide(`00-${TRACE}-${SPAN}-01`) !== undefined;
  expect([ask(), ask(), ask(), ask()]).toEqual([true, true, false, false]);
  expect(sampler.skipped).toBe(2);
  now = 1000;
  expect([ask(), ask(), ask()]).toEqual([true, true, false]);
  sampler.use({ ratio: 0, mostPerSecond: 3 });
  expect([ask(), ask(), ask(), ask()]).toEqual([true, true, true, false]);
});
