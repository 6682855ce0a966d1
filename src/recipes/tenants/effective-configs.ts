import { Remembered } from '../../caches/remembered.ts';
import type { Config } from '../../config/config.ts';
import { overlay } from '../../config/core-config.ts';
import type { Address } from './address.ts';
import { ancestors, coreConfigOf, type Lineage } from './lineage.ts';
import type { TenantRecord } from './records.ts';

/** Effective configurations by the texts they come from, so that tenants with the same values share one object. */
export class EffectiveConfigs {
  readonly #base: Config;
  readonly #known: Remembered<string, Config>;

  constructor(base: Config, capacity: number) {
    this.#base = base;
    this.#known = new Remembered(capacity);
  }

  /** The configuration in force at an address whose records are given (contract 01 section 10.1 item 2). */
  of(address: Address, lineage: Lineage): Config {
    return this.#overlaid([lineage.own, ...ancestors(address, lineage)]);
  }

  #overlaid(records: readonly (TenantRecord | undefined)[]): Config {
    const layers = records.filter((record) => record !== undefined && record.coreConfig !== '{}');
    if (layers.length === 0) return this.#base;
    const name = layers.map((record) => record?.coreConfig).join('\n');
    const known = this.#known.get(name);
    if (known) return known;
    const config = overlay(this.#base, ...layers.map(coreConfigOf));
    this.#known.set(name, config);
    return config;
  }
}
