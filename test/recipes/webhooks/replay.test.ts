import { beforeEach, describe, expect, test } from 'vitest';
import { deadMessages, webhookStates } from '../../../src/recipes/webhooks/records.ts';
import { WebhookWorld } from './world.ts';

const HOUR_MS = 3_600_000;
const OK = { status: 200 };
const ERROR = { status: 500 };

let world: WebhookWorld;

beforeEach(async () => {
  world = await WebhookWorld.open();
});

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `u${at}`);

describe('replay', () => {
  async function withDeadLetters(): Promise<string> {
    const id = await world.add({ kinds: ['user.*'] });
    world.answer = () => ({ status: 400 });
    await world.happen(['x', 'y', 'z']);
    await world.deliver();
    world.pass(73 * HOUR_MS);
    await world.deliver();
    world.takeUsers();
    world.answer = () => OK;
    return id;
  }

  test('of one dead letter, and of all', async () => {
    const id = await withDeadLetters();
    const { deadLetters } = await world.call('GET', `/dead-letters?id=${id}`);
    const [x] = deadLetters as readonly { sequence: number }[];
    expect(await world.call('POST', '/replay', { id, sequence: x?.sequence })).toEqual({ status: 'OK', deadLetters: 1 });
    await world.deliver();
    expect(world.takeUsers()).toEqual(['x']);
    expect(await world.call('POST', '/replay', { id, sequence: x?.sequence })).toEqual({ status: 'UNKNOWN_DEAD_LETTER_ERROR' });
    expect(await world.call('POST', '/replay', { id, deadLetters: true })).toEqual({ status: 'OK', deadLetters: 2 });
    await world.deliver();
    expect(world.takeUsers()).toEqual(['y', 'z']);
    expect(await world.shown(id)).toMatchObject({ deadLetters: 0, queued: 0 });
  });

  test('from a place or time of the trail on, without what waited twice', async () => {
    const id = await world.add({ kinds: ['user.*'] });
    await world.happen(['a']);
    world.pass(60_000);
    const since = world.core.clock.now;
    await world.happen(['b', 'c']);
    await world.deliver();
    const [a] = world.arrived;
    expect(world.takeUsers()).toEqual(['a', 'b', 'c']);
    expect(await world.call('POST', '/replay', { id, since })).toEqual({ status: 'OK', position: (a?.sequence ?? 0) + 1 });
    await world.deliver();
    expect(world.takeUsers()).toEqual(['b', 'c']);
    world.answer = () => ERROR;
    await world.happen(['d']);
    await world.deliver();
    world.takeUsers();
    world.answer = () => OK;
    await world.call('POST', '/replay', { id, position: a?.sequence });
    await world.deliver();
    expect(world.takeUsers()).toEqual(['a', 'b', 'c', 'd']);
    expect(await world.shown(id)).toMatchObject({ queued: 0 });
  });

  test('dead letters are bounded, and the oldest are forgotten', async () => {
    const id = await withDeadLetters();
    const { store } = world.core.services;
    world.answer = () => ({ status: 400 });
    await world.happen(numbered(9));
    await world.deliver();
    // As if a thousand had been given up before.
    const [one] = await store.read((reader) => reader.list(deadMessages, undefined, { prefix: [], limit: 1 }));
    if (!one) throw new Error('nothing was given up');
    await store.transact(async (tx) => {
      for (let at = 0; at < 997; at += 1) await tx.put(deadMessages, { ...one, sequence: 1e9 + at });
    });
    await setDead(id, 1_000);
    world.pass(73 * HOUR_MS);
    await world.deliver();
    expect(await world.shown(id)).toMatchObject({ deadLetters: 1_000 });
    const kept = await store.read((reader) => reader.count(deadMessages, undefined, { prefix: [] }));
    expect(kept).toBe(1_000);
  });

  async function setDead(id: string, dead: number): Promise<void> {
    await world.core.services.store.transact(async (tx) => {
      const [state] = await tx.list(webhookStates, undefined, { prefix: [], limit: 1 });
      if (state?.id === id) await tx.put(webhookStates, { ...state, dead });
    });
  }
});
