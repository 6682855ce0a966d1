import { versionsUpTo } from '../../cdi/versions-of-app.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { writeKeyValues } from '../key-value/key-values.ts';

/** `GET /apiversion` (contract 01 section 3.3). Keeps the domains an SDK tells; those already kept cost no write. */
export async function apiVersion(context: Context, command: Commands['service/api-version']): Promise<readonly string[]> {
  const { store, tenant } = context;
  const domains = {
    ...(command.websiteDomain === undefined ? {} : { websiteDomain: command.websiteDomain }),
    ...(command.apiDomain === undefined ? {} : { apiDomain: command.apiDomain }),
  };
  if (Object.keys(domains).length > 0) await writeKeyValues(store, tenant.app, domains, context.now());
  return versionsUpTo(tenant.appConfig.supertokens_max_cdi_version);
}
