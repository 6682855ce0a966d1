import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { type BeginLoginResult, startLogin } from './begin-login.ts';
import { addressedTenant, publicTenant } from './legacy-scope.ts';

const NO_ACS_TEXT = 'Legacy ACS URL not configured';

/** `GET /recipe/saml/legacy/authorize` (contract 06 section 3.1) */
export async function legacyAuthorize(context: Context, command: Commands['saml/legacy-authorize']): Promise<BeginLoginResult> {
  const { appConfig } = await addressedTenant(context);
  const acsURL = appConfig.saml_legacy_acs_url;
  if (acsURL === null) throw new Refusal('fault-of-caller', { text: NO_ACS_TEXT });
  const { client_id: clientId, redirect_uri: redirectURI, state } = command;
  return startLogin(context, await publicTenant(context), { clientId, redirectURI, state, acsURL });
}
