import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { SCOPES } from '../scope.ts';
import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Reader } from '../../store/store.ts';
import { users } from '../accounts/records.ts';
import { askedRecipes, setsWith } from './recipe-filter.ts';

export interface UserCount {
  readonly count: number;
  /** When the count was taken (ms), for callers who accept an approximate one; it is exact anyway (contract 00). */
  readonly asOf: number | undefined;
}

/**
 * `GET /users/count` (contract 01 section 3.8): users of the given recipes in the tenant, or in any of the app. Those
 * in none count nowhere, as with the reference.
 */
export async function countUsers(context: Context, command: Commands['users/count-users']): Promise<UserCount> {
  const { store, address, traits, directory, now } = context;
  const everywhere = command.includeAllTenants === true;
  const { app, tenant } = await SCOPES[everywhere ? 'app-existing-first' : 'tenant'](address, traits, directory);
  const asked = askedRecipes(command);
  const sets = asked === undefined ? [[] as const] : setsWith(asked).map((set) => [set] as const);
  const asOf = command.allowApproximate ? now() : undefined;
  const countIn = (reader: Reader, set: readonly [] | readonly [number]): MaybePromise<number> => {
    if (!everywhere) return reader.count(users, 'inTenant', { prefix: [app, tenant, ...set] });
    const counted = allReady([
      reader.count(users, 'inApp', { prefix: [app, ...set] }),
      reader.count(users, 'inNoTenant', { prefix: [app, ...set] }),
    ]);
    return whenReady(counted, ([all, outside]) => all - outside);
  };
  const counts = await store.read((reader) => Promise.all(sets.map((set) => countIn(reader, set))));
  return { count: counts.reduce((sum, count) => sum + count, 0), asOf };
}
