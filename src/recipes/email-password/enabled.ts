import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** Refuses where the tenant offers callers of this CDI version no email/password logins (contract 03 section 1.9). */
export function requireEmailPassword({ traits, tenant }: Pick<Context, 'traits' | 'tenant'>): void {
  if (traits.loginRule === 'always' || tenant.enabledRecipes[traits.loginRule].emailPassword) return;
  throw new Refusal('forbidden', { text: 'Email password login not enabled for tenant' });
}
