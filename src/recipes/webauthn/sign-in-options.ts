import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { type InvalidOptions, readTerms } from './check-options.ts';
import { newOptions } from './options.ts';
import { type OptionsRecord, webauthnOptions } from './records.ts';

export type SignInOptions = { readonly status: 'OK'; readonly options: OptionsRecord };

/** `POST /recipe/webauthn/options/signin` (contract 07 section 2.2). */
export async function signInOptions(
  context: Context,
  command: Commands['webauthn/sign-in-options'],
): Promise<SignInOptions | InvalidOptions> {
  const { relyingPartyId, relyingPartyName, origin, userPresence = false } = command;
  const terms = readTerms(command, context.tenant.config.webauthn_strict_origin);
  if ('reason' in terms) return terms;
  const given = { relyingPartyId, relyingPartyName, origin, email: null, ...terms, isPresenceRequired: userPresence, algorithms: [] };
  const options = newOptions(context, given);
  await context.store.transact((tx) => tx.insert(webauthnOptions, options));
  return { status: 'OK', options };
}
