import { secretsEqual } from '../../crypto/constant-time.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findClient } from './clients.ts';
import { publicTenant } from './legacy-scope.ts';

/** `POST /recipe/saml/legacy/token` (contract 06 section 3.3): the token; its code is not checked. @throws Refusal */
export async function legacyToken(context: Context, command: Commands['saml/legacy-token']): Promise<string> {
  const tenant = await publicTenant(context);
  const { client_id: clientId, client_secret: secret, code } = command;
  const client = await context.store.read((reader) => findClient(reader, tenant, clientId));
  if (!client) throw new Refusal('bad-input', { text: 'Invalid client_id' });
  if (client.clientSecret === null || !secretsEqual(client.clientSecret, secret))
    throw new Refusal('bad-input', { text: 'Invalid client_secret' });
  return `${code}.${clientId}`;
}
