import type { Collection } from '../../src/store/collection.ts';
import type { openStore as open } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

export interface Half {
  readonly run: string;
  readonly number: number;
  readonly side: 'left' | 'right';
  readonly filler: string;
}

export const openStore: typeof open;
export const counters: Collection<{ readonly name: string; readonly value: number }>;
export const halves: Collection<Half>;
export function writeHalves(store: Store, run: string, number: number, filler: string): Promise<void>;
export function raise(store: Store, name: string, times: number, atOnce: number): Promise<void>;
