import type { Store } from '../../store/store.ts';
import { MigrateFault } from './fault.ts';
import { GROUPS } from './groups/all-groups.ts';
import type { Pass } from './pass.ts';
import { moveGroups } from './records.ts';

/** Compares what was moved with what is there: rows of every table by tenant. @throws MigrateFault */
export async function verifyMove(store: Store, { storages }: Pass): Promise<void> {
  for (const { label, groups } of storages)
    for (const [at, group] of GROUPS.entries()) {
      const state = await store.read((reader) => reader.get(moveGroups, [label, group.name]));
      for (const { table } of group.parts) {
        const there = groups[at]?.counts.get(table) ?? new Map<string, number>();
        const seen = new Map<string, number>();
        for (const [name, app, tenant, , rows] of state?.totals ?? []) {
          const place = `${app}/${tenant}`;
          if (name === table) seen.set(place, (seen.get(place) ?? 0) + rows);
        }
        for (const place of new Set([...there.keys(), ...seen.keys()]))
          if (there.get(place) !== seen.get(place))
            throw new MigrateFault(
              `${table} of ${place} in ${label} has ${there.get(place) ?? 0} rows, of which ${seen.get(place) ?? 0} were read: this is a fault of ours`,
            );
      }
    }
}
