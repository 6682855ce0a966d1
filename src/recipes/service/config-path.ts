import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../tenants/address.ts';

/** `GET /config` (contract 01 section 3.4): the path of the configuration file, for callers who know the process id. */
export function configPath({ address, server }: Context, command: Commands['service/get-config']): string | undefined {
  if (address.cud !== '' || address.appId !== DEFAULT_APP_ID || address.tenantId !== DEFAULT_TENANT_ID) {
    throw new Refusal('forbidden', { text: 'you can call this only from the base connection uri domain, public app and tenant' });
  }
  return command.pid === String(server.pid) ? server.configPath : undefined;
}
