import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';

/** A named text of an app: master key of refresh tokens, licence key, domains (contract 01 section 1.3). */
export interface KeyValueRecord {
  readonly app: AppNumber;
  readonly name: string;
  readonly value: string;
  readonly createdAt: number;
}

export const keyValues = defineCollection({
  id: 5,
  name: 'key_values',
  scope: 'app',
  format: 1,
  fields: { app: 1, name: 2, value: 3, createdAt: 4 },
  key: (entry: KeyValueRecord) => [entry.app, entry.name],
});
