import { expect, it } from 'vitest';
import { SP_KEY_QUEUE } from '../../src/lanes/lane-limits.ts';
import { LaneFullError } from '../../src/lanes/lane-errors.ts';
import type { SpCredential } from '../../src/crypto/saml/saml.ts';
import { SpKeyQueue } from '../../src/lanes/sp-key-queue.ts';

it('makes one key at a time, refuses what is too much, and goes on after a failure', async () => {
  let running = 0;
  let most = 0;
  const queue = new SpKeyQueue(async (now): Promise<SpCredential> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    if (now === 1) throw new Error('no entropy');
    return { privateKey: 'p', certificate: 'c', notAfter: now };
  });
  const asked = await Promise.allSettled(Array.from({ length: SP_KEY_QUEUE + 2 }, (_, now) => queue.make(now)));
  expect(most).toBe(1);
  expect(asked[1]).toMatchObject({ status: 'rejected', reason: { message: 'no entropy' } });
  const refused = asked.slice(SP_KEY_QUEUE).map((one) => (one.status === 'rejected' ? one.reason : undefined));
  expect(refused).toEqual([expect.any(LaneFullError), expect.any(LaneFullError)]);
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(SP_KEY_QUEUE - 1);
  expect(await queue.make(7)).toMatchObject({ notAfter: 7 });
});
