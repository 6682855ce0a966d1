import { randomBytes } from 'node:crypto';
import { COMMAND_LINE } from '../recipes/audit/event.ts';
import type { EventKind } from '../recipes/audit/kinds.ts';
import { writeEvent } from '../recipes/audit/record-event.ts';
import { sealAll } from '../recipes/audit/seal.ts';
import { AuditTrail } from '../recipes/audit/trail.ts';
import { BASE_ADDRESS } from '../recipes/tenants/ensure-base-tenant.ts';
import { openStore } from '../store/open-store.ts';
import type { StorePlan } from '../store/plan.ts';
import type { Store } from '../store/store.ts';

/** Tells of a command that made a whole store what it is, whatever `audit_trail` says. @param now ms since the epoch */
export async function recordCommand(store: Store, kind: EventKind, command: string, now: () => number): Promise<void> {
  const trail = new AuditTrail(() => true, randomBytes);
  const recorder = { trail, actor: COMMAND_LINE, via: `watchword ${command}`, now, tenant: BASE_ADDRESS };
  await store.transact((tx) => writeEvent(tx, recorder, kind));
  await sealAll(store, now);
}

/** `recordCommand` on a store that is not open. */
export async function recordCommandIn(plan: StorePlan, kind: EventKind, command: string, now: () => number): Promise<void> {
  const store = await openStore(plan);
  try {
    await recordCommand(store, kind, command, now);
  } finally {
    await store.close();
  }
}
