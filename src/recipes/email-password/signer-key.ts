import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';

/** Refuses to use a firebase hash in an app without the signer key that it was made with (contract 03 section 2.2). */
export function requireSignerKey({ appConfig }: Tenant): void {
  if (appConfig.firebase_password_hashing_signer_key !== null) return;
  throw new Refusal('fault-of-caller', { text: "'firebase_password_hashing_signer_key' cannot be null" });
}
