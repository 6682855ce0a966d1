import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** Refuses where the tenant offers callers of this CDI version no third-party logins (contract 03 section 1.9). */
export function requireThirdParty({ traits, tenant }: Pick<Context, 'traits' | 'tenant'>): void {
  if (traits.thirdPartyUnchecked || traits.loginRule === 'always' || tenant.enabledRecipes[traits.loginRule].thirdParty) return;
  throw new Refusal('forbidden', { text: 'ThirdParty login not enabled for tenant' });
}
