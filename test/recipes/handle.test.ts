import { expect, test } from 'vitest';
import { newHandle, tenantIdOfHandle } from '../../src/recipes/session/handle.ts';

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

test('a handle names its tenant unless that is the public one', () => {
  expect(newHandle('id', 'public')).toBe('id');
  expect(tenantIdOfHandle(newHandle('id', 't1'))).toBe('t1');
});
