import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { SCOPES } from '../scope.ts';

/** The path's tenant, which must exist, though the app is what is meant (contract 01 section 14). @throws Refusal */
export async function addressedTenant({ address, traits, directory }: Context): Promise<Tenant> {
  return SCOPES.tenant(address, traits, directory);
}

/** The public tenant, whose records the legacy endpoints use; any other in the path is refused. @throws Refusal */
export async function publicTenant(context: Context): Promise<Tenant> {
  await addressedTenant(context);
  return SCOPES.app(context.address, context.traits, context.directory);
}
