import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { allOf, pagesOf } from '../../../src/store/pages.ts';
import { planFolder } from '../../../src/store/plan.ts';

/** All records of a store, by the names of their collections. */
export async function recordsIn(folder: string): Promise<Record<string, readonly unknown[]>> {
  const store = await openStore(planFolder(folder));
  try {
    const found: Record<string, readonly unknown[]> = {};
    // How often tenants were written is no part of what is moved, nor is when it was finished, which the trail tells.
    for (const collection of COLLECTIONS.filter(({ name }) => name !== 'counters' && !name.startsWith('audit_')))
      found[collection.name] = await allOf(
        pagesOf((page) => store.read((reader) => reader.page(collection, undefined, { prefix: [], ...page }))),
      );
    return found;
  } finally {
    await store.close();
  }
}
