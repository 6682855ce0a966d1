import { type EffectiveOption, effectiveOptions } from '../../config/effective.ts';
import { isProtected } from '../../config/options.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { layersOf, readLineage } from '../tenants/lineage.ts';

/** `GET /manage/v1/config`: the options in force for a tenant, and whose they are; never a secret. */
export function showConfig({ tenant, store, server, protectedMode }: Context): MaybePromise<readonly EffectiveOption[]> {
  return whenReady(
    store.read((reader) => readLineage(reader, tenant)),
    (lineage) => {
      const options = effectiveOptions(server.configuration(), layersOf(tenant, lineage));
      return options.filter(({ name }) => !(protectedMode && isProtected(name)));
    },
  );
}
