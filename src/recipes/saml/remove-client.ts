import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { samlClients } from './records.ts';

/** `POST /recipe/saml/clients/remove` (contract 06 section 2.3): whether there was one. Codes given out stay good. */
export async function removeClient(context: Context, { clientId }: Commands['saml/remove-client']): Promise<boolean> {
  const { store, tenant } = context;
  return store.transact(async (tx) => {
    const didExist = await tx.delete(samlClients, [tenant.app, tenant.tenant, clientId]);
    if (didExist) await recordEvent(tx, context, 'saml-client.removed', { details: { client: clientId } });
    return didExist;
  });
}
