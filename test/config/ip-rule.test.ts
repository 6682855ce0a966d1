import { RE2JS } from 're2js';
import { describe, expect, test, vi } from 'vitest';
import { IpRule, isIpRule } from '../../src/config/ip-rule.ts';

const ADDRESSES = ['127.0.0.1', '10.1.22.199', '192.168.0.254', '0:0:0:0:0:0:0:1', '2001:db8:0:0:1:ffff:0:1'];

test.each<[rule: string, matching: string[]]>([
  ['127\\.0\\.0\\.1', ['127.0.0.1']],
  ['127\\.0\\.0', []],
  ['27\\.0\\.0\\.1', []],
  ['127[.]\\d+\\.\\d+\\.\\d+|::1|0:0:0:0:0:0:0:1', ['127.0.0.1', '0:0:0:0:0:0:0:1']],
  ['(?:\\d{1,3}\\.){3}\\d{1,3}', ['127.0.0.1', '10.1.22.199', '192.168.0.254']],
  ['(?<net>10|192)\\..*', ['10.1.22.199', '192.168.0.254']],
  ['^\\d+(\\.\\d+)*$', ['127.0.0.1', '10.1.22.199', '192.168.0.254']],
  ['.*\\b168\\b.*', ['192.168.0.254']],
  ['(?i)2001:DB8:.*', ['2001:db8:0:0:1:ffff:0:1']],
  ['1\\-2|10\\Q.1.22.\\E199', ['10.1.22.199']],
  ['', []],
])('%s matches whole addresses', (rule, matching) => {
  expect(ADDRESSES.filter((address) => new IpRule(rule).test(address))).toEqual(matching);
});

test.each([
  '*',
  '(',
  'a)|(b',
  '[b-a]',
  '(1)\\1',
  '(?!1)2',
  '(?=1)1',
  '(?<=1)2',
  '(?>1)',
  '((.{60}){60}){60}',
  '.{1,1000}'.repeat(20),
  '1'.repeat(5000),
])('%s is no rule', (text) => {
  expect(isIpRule(text)).toBe(false);
  expect(() => new IpRule(text)).toThrow();
});

test.each(['(?:.{0,999})'.repeat(340), '.{999}'.repeat(680), '1{1000,}'.repeat(5)])('%s is refused before it is written out', (text) => {
  const compile = vi.spyOn(RE2JS, 'compile');
  expect(isIpRule(text)).toBe(false);
  expect(compile).not.toHaveBeenCalled();
  compile.mockRestore();
});

describe('expressions that would take others for ever', () => {
  test.each([
    `${'('.repeat(9)}.*${')*'.repeat(9)}x`,
    `${'.*'.repeat(1000)}x`,
    `${'(.*)*'.repeat(500)}x`,
    '((.{1,9}){1,9}){1,9}x',
    '(a|a)*b',
  ])('%s', (text) => {
    expect(new IpRule(text).test('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).toBe(false);
    expect(new IpRule(text).test('a'.repeat(5_000))).toBe(false);
  });
});
