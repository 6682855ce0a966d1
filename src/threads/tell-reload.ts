import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Reloaded } from '../config/reload.ts';
import { SYSTEM } from '../recipes/audit/event.ts';
import { recordReload } from '../recipes/audit/record-reload.ts';
import { AuditTrail } from '../recipes/audit/trail.ts';
import { BASE_ADDRESS } from '../recipes/tenants/ensure-base-tenant.ts';
import type { Store } from '../store/store.ts';

/** Tells the audit trail of a reload that a signal asked for. @param config in force by now */
export async function tellReload(store: Store, config: Config, reloaded: Reloaded): Promise<void> {
  const trail = new AuditTrail(() => config.audit_trail, randomBytes);
  await recordReload(store, { trail, actor: SYSTEM, via: 'SIGHUP', now: Date.now, tenant: BASE_ADDRESS }, reloaded);
}
