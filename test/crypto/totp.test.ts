import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { matchesTotp, newTotpSecret } from '../../src/crypto/totp.ts';
import { totpCode } from '../totp-code.ts';

/** ASCII 12345678901234567890, the secret of the vectors of RFC 6238 appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const device = { secret: SECRET, period: 30, skew: 0 };

describe('codes', () => {
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('RFC 6238: at %i s', (seconds, code) => {
    expect(matchesTotp(device, code, seconds * 1000)).toBe(true);
  });

  test('hold for a period', () => {
    const code = '287082';
    expect([29_999, 30_000, 59_999, 60_000].map((at) => matchesTotp(device, code, at))).toEqual([false, true, true, false]);
  });

  test('may be off by the skew, either way, and no more', () => {
    const at = 1_700_000_000_000;
    for (const skew of [0, 1, 3]) {
      const codes = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((step) => [Math.abs(step) <= skew, totpCode(device, at + step * 30_000)] as const);
      for (const [near, code] of codes) expect(matchesTotp({ ...device, skew }, code, at)).toBe(near);
    }
  });

  test('near the beginning of time there are no steps before the first', () => {
    const code = totpCode(device, 0);
    expect(matchesTotp({ ...device, skew: 300 }, code, 0)).toBe(true);
  });

  test.each(['', '28708', '2870822', ' 287082', '２８７０８２', '28708é'])('%j is no code, whatever the time', (code) => {
    expect(matchesTotp({ ...device, skew: 1 }, code, 59_000)).toBe(false);
  });
});

describe('secrets', () => {
  test('are 20 random bytes in 32 characters of Base32', () => {
    const secrets = Array.from({ length: 50 }, () => newTotpSecret(randomBytes));
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new Set(secrets).size).toBe(50);
    expect(newTotpSecret(() => Buffer.from('12345678901234567890'))).toBe(SECRET);
  });

  test.each([SECRET.toLowerCase(), `${SECRET}====`, SECRET.replace(/(.{4})/g, '$1 '), SECRET.replace(/(.{4})/g, '$1-'), `0${SECRET}1!ıſ`])(
    'imported as %j make the same codes',
    (secret) => expect(matchesTotp({ ...device, secret }, '287082', 59_000)).toBe(true),
  );

  test.each(['', '   ', '0189', '====', 'A'])('%j holds no byte and matches nothing', (secret) => {
    for (const code of ['', '000000', '287082']) expect(matchesTotp({ ...device, secret }, code, 59_000)).toBe(false);
  });
});
