import { describe, expect, test } from 'vitest';
import { addressText, checkApiKey, checkPeer, checkVersion, peerText } from '../../src/http/access.ts';
import { refusalReply } from '../../src/http/refusals.ts';
import { Refusal } from '../../src/recipes/refusal.ts';
import { configWith } from './fixtures.ts';

const KEYS = ['abcdefghijklmnopqrst', 'uvwxyz-0123456789=AB'];
const SECRET = 'S'.repeat(40);

function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error).body.trim();
    throw error;
  }
}

describe('API keys (contract 01 section 2.7)', () => {
  const keyed = configWith({ api_keys: KEYS });
  const saas = configWith({ api_keys: KEYS, supertokens_saas_secret: SECRET });
  const open = configWith();
  const refused = 'Invalid API key';
  test.each<
    [
      title: string,
      config: typeof open | undefined,
      apiKey: string | undefined,
      authorization: string | undefined,
      asked: boolean,
      expected: unknown,
    ]
  >([
    ['none configured, none sent', open, undefined, undefined, true, false],
    ['none configured, any sent', open, 'x', 'Basic abc', true, false],
    ['the first key', keyed, KEYS[0], undefined, true, false],
    ['the second key, with spaces around', keyed, ` ${KEYS[1]} `, undefined, true, false],
    ['none sent', keyed, undefined, undefined, true, refused],
    ['an empty one counts as sent', keyed, '', `Bearer ${KEYS[0]}`, true, refused],
    ['a wrong one', keyed, 'abcdefghijklmnopqrsu', undefined, true, refused],
    ['a prefix', keyed, KEYS[0]?.slice(0, 19), undefined, true, refused],
    ['bearer', keyed, undefined, `bEaRer  ${KEYS[0]}`, true, false],
    ['authorization without scheme', keyed, undefined, ` ${KEYS[0]}`, true, false],
    ['basic is a wrong key', keyed, undefined, 'Basic abc', true, refused],
    ['not asked', keyed, undefined, undefined, false, false],
    ['unknown app', undefined, undefined, undefined, true, false],
    ['the saas secret lifts the protection', saas, SECRET, undefined, true, false],
    ['a key beside a saas secret', saas, KEYS[0], undefined, true, true],
    ['not asked, protected', saas, undefined, undefined, false, true],
    ['not asked, but the secret shown', saas, undefined, `Bearer ${SECRET}`, false, false],
    ['neither', saas, 'x', undefined, true, refused],
  ])('%s', (_, config, apiKey, authorization, asked, expected) => {
    expect(
      outcome(
        () => checkApiKey(config && { appConfig: config, apiKeys: [] }, open, { apiKey, authorization }, asked, Date.now).protectedMode,
      ),
    ).toBe(expected);
  });
});

describe('IP rules (section 2.8)', () => {
  test.each<[allow: string | null, deny: string | null, peer: string, passes: boolean]>([
    [null, null, '10.0.0.1', true],
    ['10\\.0\\..*', null, '10.0.0.1', true],
    ['10\\.0\\..*', null, '::ffff:10.0.0.1', true],
    ['10\\.0\\..*', null, '110.0.0.1', false],
    ['127\\.0\\.0', null, '127.0.0.1', false],
    ['0:0:0:0:0:0:0:1', null, '::1', true],
    ['a|127.0.0.1', null, '127.0.0.1', true],
    [null, '127.*', '127.0.0.1', false],
    [null, '127.*', '128.0.0.1', true],
    ['.*', '127.*', '127.0.0.1', false],
  ])('allow %s, deny %s, peer %s', (allow, deny, peer, passes) => {
    const config = configWith({ ip_allow_regex: allow, ip_deny_regex: deny });
    expect(outcome(() => checkPeer(config, { peer: () => peer }))).toBe(passes ? undefined : 'Forbidden');
  });

  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:192.168.1.20', '192.168.1.20'],
    ['0000:0000:0000:0000:0000:ffff:c0a8:0114', '192.168.1.20'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '0:0:0:0:0:0:0:1'],
    ['2001:DB8::8:800:200C:417A', '2001:db8:0:0:8:800:200c:417a'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ])('%s is printed %s', (address, text) => expect(peerText(address)).toBe(text));
});

describe('CDI version (section 2.9)', () => {
  const limited = configWith({ supertokens_min_cdi_version: '3.0', supertokens_max_cdi_version: '5.0' });
  test.each<[header: string | undefined, config: typeof limited | undefined, expected: string]>([
    [undefined, undefined, '5.6 true'],
    [undefined, limited, '5.0 true'],
    ['2.7', configWith(), '2.7 true'],
    ['2.6', configWith(), '2.6 false'],
    ['5.0.0', configWith(), '5.0.0 false'],
    ['05.0', configWith(), '05.0 false'],
    ['2.22', configWith(), '2.22 false'],
    ['', configWith(), 'cdi-version header is invalid'],
    ['5.', configWith(), 'cdi-version header is invalid'],
    ['v5', configWith(), 'cdi-version header is invalid'],
    ['5.7', configWith(), 'cdi-version 5.7 not supported'],
    ['5.6.1', undefined, 'cdi-version 5.6.1 not supported'],
    ['5.1', limited, 'cdi-version 5.1 not supported'],
    ['2.21', limited, 'cdi-version 2.21 is lower than the minimum allowed version 3.0'],
    ['4.0', limited, '4.0 true'],
  ])('%s', (header, config, expected) => {
    const result = outcome(() => {
      const { traits, supported } = checkVersion(config, header);
      return `${traits.version} ${supported}`;
    });
    expect(result).toBe(expected);
  });
});

test.each([
  [' 192.0.2.1 ', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ['desk 7', 'desk 7'],
  ['1:2:3', '1:2:3'],
  [' ', undefined],
])('the address %j of an end user is %j', (value, text) => {
  expect(addressText(value)).toBe(text);
});
