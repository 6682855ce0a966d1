import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../src/outbound/public-address.ts';
import { refusedTarget } from '../../src/outbound/target.ts';

describe('addresses of the internet', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '64:ff9b::808:808',
  ])('%s is one', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['behind a provider', '100.64.0.1'],
    ['behind a provider', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.169.254'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped private', '::ffff:10.0.0.1'],
    ['mapped, written as groups', '::ffff:7f00:1'],
    ['mapped public', '::ffff:8.8.8.8'],
    ['compatible', '::10.0.0.1'],
    ['translated (SIIT)', '::ffff:0:10.0.0.1'],
    ['NAT64 of private', '64:ff9b::10.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::7f00:1'],
    ['NAT64 of link-local', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of 0.0.0.0', '64:ff9b::'],
    ['NAT64 of a local network', '64:ff9b:1::1'],
    ['6to4 of private', '2002:a00:1::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd12:3456::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard only', '100::1'],
    ['no address', 'localhost'],
    ['no address', ''],
    ['no address', '010.0.0.1'],
  ])('%s: %s is none', (_kind, address) => expect(isPublicAddress(address)).toBe(false));
});

describe('what the text of a target tells', () => {
  test.each([
    ['no URL', 'example.com/hook', /absolute URL/],
    ['too long', `https://example.com/${'a'.repeat(2048)}`, /absolute URL/],
    ['plain HTTP', 'http://example.com/', /https/],
    ['another scheme', 'file:///etc/passwd', /https/],
    ['a password', 'https://user:secret@example.com/', /user name or password/],
    ['a fragment', 'https://example.com/#a', /fragment/],
    ['a private address', 'https://10.0.0.1/', /not public/],
    ['loopback in odd spelling', 'https://0x7f.1/', /not public/],
    ['loopback as a number', 'https://2130706433/', /not public/],
    ['loopback in octal', 'https://0177.0.0.1/', /not public/],
    ['mapped loopback', 'https://[::ffff:127.0.0.1]/', /not public/],
    ['IPv6 loopback', 'https://[::1]:8443/', /not public/],
    ['this machine by name', 'https://localhost/', /not public/],
    ['this machine by name, with a dot', 'https://LOCALHOST./', /not public/],
    ['a name below localhost', 'https://a.localhost/', /not public/],
  ])('%s', (_what, url, reason) => expect(refusedTarget(url, false)).toMatch(reason));

  test('others pass', () => {
    expect(refusedTarget('https://example.com:8443/hook?a=b', false)).toBeUndefined();
    expect(refusedTarget('https://93.184.216.34/', false)).toBeUndefined();
  });

  test('where private targets are allowed, the rest holds', () => {
    expect(refusedTarget('http://127.0.0.1:8080/', true)).toBeUndefined();
    expect(refusedTarget('ftp://127.0.0.1/', true)).toMatch(/https/);
    expect(refusedTarget('https://u:p@127.0.0.1/', true)).toMatch(/user name/);
  });
});
