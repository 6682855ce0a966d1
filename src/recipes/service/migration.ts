import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { listDomainIds } from '../multitenancy/list-tenants.ts';
import { DEFAULT_APP_ID } from '../tenants/address.ts';

/** How far a store has come on its way to the present layout of users; here there has never been another one. */
export type MigrationState = { readonly mode: 'MIGRATED' };

/** The same with the users that wait for it, and why there is nothing to verify, when the caller asks for that. */
export type BackfillProgress = MigrationState & { readonly pendingUsers: number; readonly verifySkipped?: 'migrated' };

/** The public app of the default connection URI domain is told of every domain, any other app of its own. */
export type PerDomain<S> = S | { readonly cuds: readonly ({ readonly connectionUriDomain: string } & S)[] };

/** `GET /migration/mode` (contract 01 section 6.1) */
export function migrationMode(context: Context): Promise<PerDomain<MigrationState>> {
  return perDomain(context, { mode: 'MIGRATED' });
}

/** `GET /migration/backfill/progress` (contract 01 section 6.2) */
export function backfillProgress(
  context: Context,
  { verify }: Commands['service/backfill-progress'],
): Promise<PerDomain<BackfillProgress>> {
  const skipped = verify === 'true' ? ({ verifySkipped: 'migrated' } as const) : {};
  return perDomain(context, { mode: 'MIGRATED', pendingUsers: 0, ...skipped });
}

async function perDomain<S>({ store, tenant }: Context, state: S): Promise<PerDomain<S>> {
  if (tenant.cud !== '' || tenant.appId !== DEFAULT_APP_ID) return state;
  const domains = await listDomainIds(store);
  return { cuds: domains.map((connectionUriDomain) => ({ connectionUriDomain, ...state })) };
}
