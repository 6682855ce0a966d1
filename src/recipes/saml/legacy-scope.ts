import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { SCOPES } from '../scope.ts';

/** The legacy endpoints belong to the app, and yet the tenant in the path must exist (contract 01 section 14); answers it. @throws Refusal */
export async function addressedTenant({ address, traits, directory }: Context): Promise<Tenant> {
  return SCOPES.tenant(address, traits, directory);
}

/** The public tenant, whose clients, logins and codes the legacy endpoints use; any other tenant in the path is refused. @throws Refusal */
export async function publicTenant(context: Context): Promise<Tenant> {
  await addressedTenant(context);
  return SCOPES.app(context.address, context.traits, context.directory);
}
