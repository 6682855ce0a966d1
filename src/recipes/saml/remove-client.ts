import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { samlClients } from './records.ts';

/** `POST /recipe/saml/clients/remove` (contract 06 section 2.3): whether there was one. Codes given out stay good. */
export async function removeClient({ store, tenant }: Context, { clientId }: Commands['saml/remove-client']): Promise<boolean> {
  return store.transact((tx) => tx.delete(samlClients, [tenant.app, tenant.tenant, clientId]));
}
