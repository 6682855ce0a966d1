import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SIGN_QUEUE, signingWidth } from '../../src/lanes/lane-limits.ts';
import type { Passwords } from '../../src/crypto/crypto.ts';
import { LaneFullError } from '../../src/lanes/lane-errors.ts';
import { unknownUserHash } from '../../src/crypto/password-hashes.ts';
import { generateRsaKeyPair } from '../../src/crypto/rsa-keys.ts';
import { SigningLane } from '../../src/lanes/signing-lane.ts';
import { openThreadCrypto } from '../../src/lanes/thread-crypto.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PRIVATE_KEY = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const isSignature = (input: string, signature: Uint8Array): boolean => verify('sha256', Buffer.from(input), pair.publicKey, signature);

describe('the signing lane', () => {
  it('signs, many at a time, each input with its own signature', async () => {
    const lane = new SigningLane(2);
    const inputs = Array.from({ length: 50 }, (_, index) => `input ${index} ü`);
    const promises = inputs.map((input) => lane.sign(input, PRIVATE_KEY));
    expect(lane.counters).toEqual({ queued: 48, oldestSeconds: expect.any(Number), running: 2, completed: 0, rejected: 0, died: 0 });
    const signatures = await Promise.all(promises);
    expect(inputs.filter((input, index) => !isSignature(input, signatures[index] ?? new Uint8Array()))).toEqual([]);
    expect(lane.counters).toEqual({ queued: 0, oldestSeconds: 0, running: 0, completed: 50, rejected: 0, died: 0 });
  });

  it('refuses what does not fit, and signs the rest', async () => {
    const lane = new SigningLane(1);
    const bad = Array.from({ length: SIGN_QUEUE + 1 }, (_, index) => lane.sign(`input ${index}`, PRIVATE_KEY));
    expect(lane.counters).toMatchObject({ queued: SIGN_QUEUE, running: 1 });
    const refused = lane.sign('one more', PRIVATE_KEY);
    await expect(refused).rejects.toBeInstanceOf(LaneFullError);
    await expect(refused).rejects.toMatchObject({ lane: 'sign' });
    await Promise.all(bad);
    expect(lane.counters).toEqual({ queued: 0, oldestSeconds: 0, running: 0, completed: SIGN_QUEUE + 1, rejected: 1, died: 0 });
    expect(isSignature('again', await lane.sign('again', PRIVATE_KEY))).toBe(true);
  }, 30_000);

  it('checks signatures that take long, in its queue', async () => {
    const lane = new SigningLane(1);
    const large = generateKeyPairSync('ec', { namedCurve: 'P-521' });
    const data = Buffer.from('signed');
    const check = { digest: 'sha512', data, key: large.publicKey, signature: sign('sha512', data, large.privateKey) };
    const results = Promise.all([
      lane.verify(check),
      lane.verify({ ...check, data: Buffer.from('other') }),
      lane.verify({ ...check, signature: data }),
    ]);
    expect(lane.counters).toMatchObject({ queued: 2, running: 1 });
    expect(await results).toEqual([true, false, false]);
    expect(lane.counters).toEqual({ queued: 0, oldestSeconds: 0, running: 0, completed: 3, rejected: 0, died: 0 });
  });

  it('rejects for keys that are none, without the key in the text, and goes on', async () => {
    const lane = new SigningLane(1);
    const bad = Array.from({ length: 3 }, () => lane.sign('x', 'bm8ga2V5'));
    const good = lane.sign('x', PRIVATE_KEY);
    const ended = await Promise.allSettled(bad);
    const texts = ended.map((result) => (result.status === 'rejected' ? String(result.reason) : 'signed'));
    for (const text of texts) expect(text).toMatch(/^Error: (?!.*bm8ga2V5)/);
    expect(isSignature('x', await good)).toBe(true);
    expect(lane.counters).toMatchObject({ queued: 0, running: 0, completed: 4 });
  });

  it('knows more keys than it keeps', async () => {
    const small = Array.from({ length: 70 }, () => generateKeyPairSync('rsa', { modulusLength: 512 }));
    const lane = new SigningLane(1);
    for (const { privateKey, publicKey } of [...small, ...small.slice(0, 2)]) {
      const signature = await lane.sign('x', privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'));
      expect(verify('sha256', Buffer.from('x'), publicKey, signature)).toBe(true);
    }
  });
});

describe('the width of the lanes', () => {
  it.each([
    [2, 2, 2],
    [16, 16, 2],
    [16, 4, 4],
    [8, 3, 3],
    [4, 128, 2],
    [1, 1, 2],
  ])('of %i cores and %i threads is %i', (cores, threads, width) => expect(signingWidth(cores, threads)).toBe(width));
});

describe('the crypto of a thread', () => {
  it('makes key pairs that sign, and hands passwords on', async () => {
    const passwords: Passwords = {
      hashPassword: (password) => Promise.resolve(`hash of ${password}`),
      verifyPassword: (password, hash) => Promise.resolve(hash === `hash of ${password}`),
    };
    const notAsked = (): Promise<never> => Promise.reject(new Error('not asked here'));
    const tasks = { ...passwords, readIdpMetadata: notAsked, checkSamlResponse: notAsked, keyPairFor: generateRsaKeyPair };
    const crypto = openThreadCrypto(tasks, new SigningLane(2));
    const made = await crypto.keyPairFor('a key', true);
    const key = { key: Buffer.from(made.publicKey, 'base64'), format: 'der', type: 'spki' } as const;
    expect(verify('sha256', Buffer.from('x'), key, await crypto.signRs256('x', made.privateKey))).toBe(true);
    const parameters = { algorithm: 'BCRYPT', rounds: 4 } as const;
    expect(await crypto.verifyPassword('p', await crypto.hashPassword('p', parameters), null)).toBe(true);
    expect(await crypto.unknownUserHash(parameters)).toBe(unknownUserHash(parameters));
    expect(await crypto.checkSamlResponse({ samlResponse: 'A'.repeat(400_000) })).toEqual({ status: 'MALFORMED' });
  });
});
