import { expect, test } from 'vitest';
import { AddressRanges, isAddressRange } from '../../src/config/address-ranges.ts';

test.each(['10.1.2.3', '10.0.0.0/8', '0.0.0.0/0', '::1', 'fd00::/8', '2001:db8::1/128'])('%s is an address or a network', (text) => {
  expect(isAddressRange(text)).toBe(true);
});

test.each(['', 'localhost', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', '*'])(
  '%j is none',
  (text) => {
    expect(isAddressRange(text)).toBe(false);
  },
);

test('ranges hold the addresses of their own family', () => {
  const ranges = new AddressRanges(['10.0.0.0/8', '192.0.2.1', 'fd00::/8']);
  const asked = ['10.255.0.1', '11.0.0.1', '192.0.2.1', '192.0.2.2', 'fd12:0:0:0:0:0:0:1', 'fe80:0:0:0:0:0:0:1', '', 'text'];
  expect(asked.map((address) => ranges.has(address))).toEqual([true, false, true, false, true, false, false, false]);
  expect(new AddressRanges([]).has('127.0.0.1')).toBe(false);
});
