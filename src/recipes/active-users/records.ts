import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';

/** When a user of an app was last active (contract 01 section 12). The id is the internal one of the primary user. */
export interface LastActiveRecord {
  readonly app: AppNumber;
  readonly userId: string;
  /** ms */
  readonly at: number;
}

export const lastActive = defineCollection({
  id: 15,
  name: 'last_active',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, at: 3 },
  key: (a: LastActiveRecord) => [a.app, a.userId],
  indexes: { byTime: { id: 1, keys: (a) => [[a.app, a.at]] } },
});
