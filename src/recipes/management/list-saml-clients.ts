import type { Commands } from '../../generated/commands.ts';
import type { Page } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { type ClientFacts, clientsPage } from '../saml/client-facts.ts';
import { pageRange } from './page.ts';

/** Each may have sixteen certificates, which are read one by one. */
const MOST_AT_ONCE = 50;

/** `GET /manage/v1/saml/clients`: the SAML clients of the addressed tenant, the oldest first. @throws Refusal */
export function listSamlClients(context: Context, command: Commands['management/list-saml-clients']): Promise<Page<ClientFacts>> {
  const range = pageRange(command);
  return clientsPage(context, { ...range, limit: Math.min(range.limit, MOST_AT_ONCE) }, command.clientId);
}
