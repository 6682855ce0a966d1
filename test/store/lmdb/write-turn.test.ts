import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isFault, thrownReply } from '../../../src/http/refusals.ts';
import { WriteTurn } from '../../../src/store/lmdb/write-turn.ts';
import { lostOutcome, StoreUnavailable } from '../../../src/store/unavailable.ts';
import type { CoreClient } from '../../../src/transfer/core-client.ts';
import { ask } from '../../../src/transfer/patience.ts';

const NEVER = new Promise<void>(() => {});
const ignore = (): void => {};

describe('a turn at the write lock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** What a turn comes to that the database does not answer within so many seconds. */
  async function outcomeAfter(turn: WriteTurn, seconds: number): Promise<unknown> {
    const state: { outcome: unknown } = { outcome: 'waits' };
    turn.settled(NEVER, ignore).catch((error: unknown) => {
      state.outcome = lostOutcome(error);
    });
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    return state.outcome;
  }

  test('that does not come is withdrawn after ten seconds, and then does nothing', async () => {
    const turn = new WriteTurn();
    const work = vi.fn();
    const guarded = turn.guarded(work);
    expect(await outcomeAfter(turn, 9)).toBe('waits');
    expect(turn.isLate).toBe(true);
    const other = new WriteTurn();
    const withdrawn = other.guarded(work);
    // Of the first one it is the tenth second now, in which its turn comes all the same.
    guarded();
    expect(work).toHaveBeenCalledOnce();
    expect(await outcomeAfter(other, 10)).toBe('not-kept');
    withdrawn();
    expect(work).toHaveBeenCalledOnce();
  });

  test('whose work ends too late is rolled back', async () => {
    const turn = new WriteTurn();
    let finish = ignore;
    const working = turn.guarded(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    )();
    expect(await outcomeAfter(turn, 10)).toBe('not-kept');
    finish();
    await expect(working).rejects.toThrow('nobody waits');
  });

  test('whose commit is under way has twenty seconds more, and then an outcome that nobody knows', async () => {
    const turn = new WriteTurn();
    turn.guarded(ignore)();
    expect(await outcomeAfter(turn, 19)).toBe('waits');
    const other = new WriteTurn();
    other.guarded(ignore)();
    expect(await outcomeAfter(other, 20)).toBe('unknown');
  });
});

describe('an outcome that nobody knows', () => {
  const unknown = new StoreUnavailable('unknown');

  test('is answered as such, without an invitation to try again, and logged', () => {
    expect(thrownReply(unknown)).toMatchObject({ status: 503, body: expect.stringContaining('unknown') });
    expect(thrownReply(unknown).headers).toBeUndefined();
    expect(isFault(unknown)).toBe(true);
    const notKept = new StoreUnavailable('not-kept');
    expect(thrownReply(notKept)).toMatchObject({ status: 503, headers: [['Retry-After', '5']] });
    expect(isFault(notKept)).toBe(false);
    // As it arrives from another thread.
    const crossed = Object.assign(new Error(unknown.message), { name: unknown.name, outcome: unknown.outcome });
    expect(thrownReply(crossed)).toEqual(thrownReply(unknown));
  });

  test('is no "nothing was done" to an import', async () => {
    const answering = (reply: { readonly status: number; readonly body: string | Uint8Array }) =>
      ({
        call: async () => ({ status: reply.status, retryAfter: undefined, text: String(reply.body) }),
      }) as Partial<CoreClient> as CoreClient;
    expect(await ask(answering(thrownReply(unknown)), 'GET', '/')).toMatchObject({ isNothingDone: false });
    expect(await ask(answering(thrownReply(new StoreUnavailable('not-kept'))), 'GET', '/')).toMatchObject({ isNothingDone: true });
  });
});
