import { describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { KINDS, SoftwareAuthenticator } from '../../software-authenticator.ts';
import { PasskeyCalls } from './calls.ts';

const open = async (cdi = '5.4', flags: readonly string[] = []): Promise<PasskeyCalls> =>
  new PasskeyCalls(await openInProcessCore(cdi, flags));

describe('each algorithm', () => {
  test.each(Object.keys(KINDS))('%s signs up and in', async (algorithm) => {
    const calls = await open();
    const key = new SoftwareAuthenticator({ algorithm: Number(algorithm), format: 'packed' });
    const { recipeUserId } = await calls.join('a@x', key);
    expect(await calls.enter(key)).toMatchObject({ status: 'OK', recipeUserId, user: { id: recipeUserId } });
    expect(await calls.enter(key, { twist: { signature: Buffer.alloc(64, 1) } })).toMatchObject({
      status: 'INVALID_AUTHENTICATOR_ERROR',
      reason: 'Assertion signature is not valid.',
    });
  });
});
