import { describe, expect, inject, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { people, person } from '../store/people.ts';

const url = inject('postgresUrl');

describe.skipIf(url === undefined)('a snapshot whose body failed', () => {
  test('keeps no connection for reads that it left under way', async () => {
    const store = await openStore({
      engine: 'postgres',
      url: url ?? '',
      password: undefined,
      schema: `released_${process.pid}`,
      connections: 2,
      prepared: true,
      timeoutMs: 2_000,
    });
    try {
      await store.transact((tx) => tx.put(people, person('a')));
      for (let round = 0; round < 5; round += 1) {
        const left = store.read((reader) => {
          const later = Promise.resolve(reader.get(people, [1, 'a'])).then(() => reader.get(people, [1, 'b']));
          return Promise.all([later, Promise.reject(new Error('refused'))]);
        });
        await expect(left).rejects.toThrow('refused');
      }
      expect(await store.read((reader) => reader.get(people, [1, 'a']))).toMatchObject({ id: 'a' });
    } finally {
      await store.close();
    }
  });
});
