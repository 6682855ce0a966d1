import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { completeLogin } from './finish-login.ts';
import { publicTenant } from './legacy-scope.ts';

/** Refused while the fields are read, before anybody looks at where the request goes. */
export function checkLegacyCallback(command: Commands['saml/legacy-callback']): void {
  if (responseIn(command) === undefined) throw new Refusal('bad-input', { text: 'Missing form field: SAMLResponse' });
}

/** `POST /recipe/saml/legacy/callback` (contract 06 section 3.2): where the browser goes. @throws Refusal if nowhere */
export async function legacyCallback(context: Context, command: Commands['saml/legacy-callback']): Promise<string> {
  const tenant = await publicTenant(context);
  const relayState = command.RelayState ?? command.relayState;
  const result = await completeLogin(context, tenant, { samlResponse: responseIn(command) ?? '', relayState });
  if (result.status !== 'OK') throw new Refusal('bad-input', { text: result.status });
  return result.redirectURI;
}

function responseIn({ SAMLResponse, samlResponse }: Commands['saml/legacy-callback']): string | undefined {
  // A field that is there counts, even where it is blank.
  const text = SAMLResponse ?? samlResponse;
  return text === undefined || text.trim() === '' ? undefined : text;
}
