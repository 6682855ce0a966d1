import { expect, test } from 'vitest';
import { newHandle, tenantIdOfHandle } from '../../../src/recipes/session/handle.ts';

test.each([
  ['a', 'public'],
  ['', 'public'],
  ['_', 'public'],
  ['a_', 'public'],
  ['a__b', 'public'],
  ['a_public', 'public'],
  ['a_t1', 't1'],
  ['a_T1', 't1'],
  ['a_ t1 ', 't1'],
  ['a_b_c', 'b'],
])('the tenant of handle %j is %j', (handle, tenantId) => expect(tenantIdOfHandle(handle)).toBe(tenantId));

const RANDOM = 'a51c9c28-65a4-4f1e-9d3b-0f3f1c7a2b11';
const NOW = Date.UTC(2026, 10, 22);

test('a handle names its tenant unless that is the public one', () => {
  expect(tenantIdOfHandle(newHandle(RANDOM, NOW, 'public'))).toBe('public');
  expect(tenantIdOfHandle(newHandle(RANDOM, NOW, 't1'))).toBe('t1');
});

test('a handle is a uuid v4 that stands behind earlier ones', () => {
  const handle = newHandle(RANDOM, NOW, 'public');
  expect(handle).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(handle.slice(13)).toBe(RANDOM.slice(13));
  const times = [0, 1, NOW - 1, NOW, NOW + 1, 2 ** 44];
  const handles = times.map((time) => newHandle(RANDOM, time, 'public'));
  expect(handles.toSorted()).toEqual(handles);
});
