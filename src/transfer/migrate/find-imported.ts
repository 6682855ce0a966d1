import type { Row } from '../../store/foreign-database.ts';
import { wordIn } from './layout.ts';
import type { OpenStorage } from './move-group.ts';
import type { KnownApps } from './open-storage.ts';

/** Entries that are looked up at once. */
const PAGE_ROWS = 1000;

/**
 * Finds entries of the import queue that the old core had begun with and that are users already: whoever is made of an
 * entry has its id (contract 05 section 6.1), in whichever database of the app. Only what is under way is looked up.
 */
export async function findImported(storages: readonly OpenStorage[], known: KnownApps): Promise<void> {
  for (const { database, layout, places } of storages) {
    const queue = layout.tables.get('bulk_import_users');
    if (!queue) continue;
    const text = `SELECT app_id::text AS app_id, id::text AS id FROM ${queue.sql} WHERE status = 'PROCESSING'`;
    for await (const page of database.pages(text, [], PAGE_ROWS))
      for (const appId of new Set(page.map((row) => wordIn(row, 'app_id')))) {
        const place = places.app(appId);
        if (!place?.isHome) continue;
        const ids = page.flatMap((row) => (row['app_id'] === appId ? [wordIn(row, 'id')] : []));
        const members = storages.filter((storage) => storage.places.app(appId)?.app === place.app);
        for (const member of members)
          for (const row of await usersAmong(member, appId, ids)) known.get(place.app)?.imported.add(wordIn(row, 'id'));
      }
  }
}

async function usersAmong({ database, layout }: OpenStorage, appId: string, ids: readonly string[]): Promise<readonly Row[]> {
  const identities = layout.tables.get('app_id_to_user_id');
  if (!identities) return [];
  // Compared as what it is, or no index leads to it.
  const type = identities.columns.get('user_id') === 'character' ? 'bpchar' : 'text';
  const text = `SELECT user_id::text AS id FROM ${identities.sql} WHERE app_id = $1 AND user_id = ANY($2::${type}[])`;
  return database.rows(text, [appId, ids]);
}
