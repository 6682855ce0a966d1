import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** Refuses where the tenant offers callers of this CDI version no passwordless logins (contract 03 section 1.9). */
export function requirePasswordless({ traits, tenant }: Context): void {
  if (traits.loginRule === 'always' || tenant.enabledRecipes[traits.loginRule].passwordless) return;
  throw new Refusal('forbidden', { text: 'Passwordless login not enabled for tenant' });
}
