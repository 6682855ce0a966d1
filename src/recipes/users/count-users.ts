import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { SCOPES } from '../scope.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Reader } from '../../store/store.ts';
import { users } from '../accounts/records.ts';
import { askedRecipes, setsWith } from './recipe-filter.ts';

export interface UserCount {
  readonly count: number;
  /** When the count was taken (ms), for callers who accept an approximate one; it is exact anyway (contract 00). */
  readonly asOf: number | undefined;
}

/** `GET /users/count` (contract 01 section 3.8): users of the given recipes in the tenant, or anywhere in the app. */
export async function countUsers(context: Context, command: Commands['users/count-users']): Promise<UserCount> {
  const { store, address, traits, directory, now } = context;
  const everywhere = command.includeAllTenants === true;
  const { app, tenant } = await SCOPES[everywhere ? 'app-existing-first' : 'tenant'](address, traits, directory);
  const asked = askedRecipes(command);
  const sets = asked === undefined ? [[] as const] : setsWith(asked).map((set) => [set] as const);
  const asOf = command.allowApproximate ? now() : undefined;
  const countIn = (reader: Reader, set: readonly [] | readonly [number]): MaybePromise<number> =>
    everywhere
      ? reader.count(users, 'inApp', { prefix: [app, ...set] })
      : reader.count(users, 'inTenant', { prefix: [app, tenant, ...set] });
  const counts = await store.read((reader) => Promise.all(sets.map((set) => countIn(reader, set))));
  return { count: counts.reduce((sum, count) => sum + count, 0), asOf };
}
