import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { operators } from '../../../src/recipes/operators/records.ts';
import { beginSession, findSignedIn, IDLE_MS, LIFE_MS, newSession, touchSession } from '../../../src/recipes/operators/sessions.ts';
import { MemoryEngine } from '../../../src/store/memory.ts';
import type { AppNumber } from '../../../src/store/store.ts';
import { EngineStore } from '../../../src/store/transactions.ts';

const APP = 1 as AppNumber;
const START = Date.UTC(2026, 10, 22, 12);
const MINUTE_MS = 60_000;

let store: EngineStore;
let token: string;

beforeEach(async () => {
  store = new EngineStore(new MemoryEngine({}));
  const made = newSession({ app: APP, userId: 'ann', id: 's1', address: '127.0.0.1', randomBytes, now: START });
  token = made.token;
  await store.transact(async (tx) => {
    await tx.put(operators, { app: APP, userId: 'ann', role: 'admin', grantedAt: START });
    await beginSession(tx, made.record);
  });
});

const signedInAt = async (now: number) => store.read((reader) => findSignedIn(reader, APP, token, now));
const goesOnAt = async (now: number): Promise<boolean> => (await signedInAt(now)) !== undefined;

/** A request at a time: it is let in, and its time is noted. */
async function use(now: number): Promise<boolean> {
  const found = await signedInAt(now);
  if (found) await touchSession(store, found.session, now);
  return found !== undefined;
}

describe('a session', () => {
  test('ends 30 minutes after it was last used', async () => {
    expect(IDLE_MS).toBe(30 * MINUTE_MS);
    expect(await goesOnAt(START + IDLE_MS - 1)).toBe(true);
    expect(await goesOnAt(START + IDLE_MS)).toBe(false);
    expect(await use(START + 20 * MINUTE_MS)).toBe(true);
    expect(await goesOnAt(START + 50 * MINUTE_MS - 1)).toBe(true);
    expect(await goesOnAt(START + 50 * MINUTE_MS)).toBe(false);
  });

  test('has its time of use noted once a minute', async () => {
    await use(START + MINUTE_MS - 1);
    expect((await signedInAt(START + MINUTE_MS))?.session.usedAt).toBe(START);
    await use(START + MINUTE_MS);
    expect((await signedInAt(START + MINUTE_MS))?.session.usedAt).toBe(START + MINUTE_MS);
  });

  test('ends 12 hours after the sign-in, however much it is used', async () => {
    expect(LIFE_MS).toBe(12 * 60 * MINUTE_MS);
    for (let now = START; now < START + LIFE_MS; now += 10 * MINUTE_MS) expect(await use(now), new Date(now).toISOString()).toBe(true);
    expect(await goesOnAt(START + LIFE_MS - 1)).toBe(true);
    expect(await goesOnAt(START + LIFE_MS)).toBe(false);
    expect(await use(START + LIFE_MS)).toBe(false);
  });
});

describe('a clock that is set back', () => {
  test('by less than half an hour lets a session go on, for so much longer at most', async () => {
    await use(START + 10 * MINUTE_MS);
    expect(await use(START - 15 * MINUTE_MS)).toBe(true);
    expect((await signedInAt(START))?.session, 'nothing moves into the past').toMatchObject({
      usedAt: START + 10 * MINUTE_MS,
      expiresAt: START + LIFE_MS,
    });
    expect(await goesOnAt(START + 40 * MINUTE_MS)).toBe(false);
  });

  test('by more ends it', async () => {
    expect(await goesOnAt(START - IDLE_MS)).toBe(true);
    expect(await goesOnAt(START - IDLE_MS - 1)).toBe(false);
    expect(await goesOnAt(START - 24 * 60 * MINUTE_MS)).toBe(false);
  });
});
