import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type CuttingProxy, type Direction, openCuttingProxy } from './cutting-proxy.ts';
import { counters, people, person } from '../store/people.ts';

const url = inject('postgresUrl');
/** Of what a commit sends and is answered, every so many bytes the connection is cut once. */
const STEP: Readonly<Record<Direction, number>> = { 'to the server': 13, 'to the client': 5 };

/** Cuts a connection behind so many bytes that pass in one direction from now on. */
class Cutter {
  #left: { readonly direction: Direction; bytes: number } | undefined;

  arm(direction: Direction, bytes: number): void {
    this.#left = { direction, bytes };
  }

  /** Ends that; answers whether it has not cut yet. */
  disarm(): boolean {
    const isArmed = this.#left !== undefined;
    this.#left = undefined;
    return isArmed;
  }

  meddle(direction: Direction, piece: Buffer): { readonly pass: Buffer; readonly isCut?: boolean } {
    if (this.#left?.direction !== direction) return { pass: piece };
    if (piece.length <= this.#left.bytes) {
      this.#left.bytes -= piece.length;
      return { pass: piece };
    }
    const pass = piece.subarray(0, this.#left.bytes);
    this.#left = undefined;
    return { pass, isCut: true };
  }
}

/** A store behind a proxy. */
async function openBehind(proxy: CuttingProxy, schema: string, prepared = true): Promise<Store> {
  const plan = { engine: 'postgres', password: undefined, connections: 2, prepared, timeoutMs: 5_000 } as const;
  const store = await openStore({ ...plan, schema, url: proxy.through(url ?? '') });
  onTestFinished(async () => {
    await store.close();
    await proxy.close();
  });
  return store;
}

const portOf = (address: string): number => Number(new URL(address).port);

describe.skipIf(url === undefined)('a commit whose connection is cut', () => {
  test.each<Direction>(['to the server', 'to the client'])('anywhere on its way %s is kept once, or run again', async (direction) => {
    const cutter = new Cutter();
    const proxy = await openCuttingProxy(portOf(url ?? ''), (...piece) => cutter.meddle(...piece));
    const store = await openBehind(proxy, `cut_${direction}_${process.pid}`);
    let added = 0;
    const add = async (): Promise<void> => {
      await store.transact(async (tx) => {
        const value = (await tx.get(counters, ['n']))?.value ?? 0;
        await tx.put(counters, { name: 'n', value: value + 1 });
        await tx.insert(people, person(`p${value}`, { tags: ['t'] }));
      });
      added += 1;
    };
    await add();
    let isThrough = false;
    for (let bytes = 0; !isThrough; bytes += STEP[direction]) {
      cutter.arm(direction, bytes);
      await add();
      isThrough = cutter.disarm();
    }
    expect(added).toBeGreaterThan(20);
    expect((await store.read((reader) => reader.get(counters, ['n'])))?.value).toBe(added);
    expect(await store.read((reader) => reader.count(people, 'byTag', { prefix: [1, 't'] }))).toBe(added);
  });

  test('where its BEGIN is refused, nothing behind it is run', async () => {
    let isRefused = false;
    const proxy = await openCuttingProxy(portOf(url ?? ''), (_, piece) => {
      const at = isRefused ? piece.indexOf('BEGIN ISOLATION LEVEL READ') : -1;
      if (at < 0) return { pass: piece };
      const pass = Buffer.from(piece);
      pass.write('BEGUN', at);
      return { pass };
    });
    const store = await openBehind(proxy, `begun_${process.pid}`, false);
    isRefused = true;
    await expect(store.transact((tx) => tx.insert(people, person('half', { tags: ['t'] })))).rejects.toThrow('syntax error');
    isRefused = false;
    expect(await store.read((reader) => reader.get(people, [1, 'half']))).toBeUndefined();
    await store.transact((tx) => tx.insert(people, person('whole')));
    expect(await store.read((reader) => reader.get(people, [1, 'whole']))).toMatchObject({ id: 'whole' });
  });
});
