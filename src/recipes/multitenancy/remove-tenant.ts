import type { KeyOf, TenantNumber, Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../tenants/address.ts';
import { markChange } from '../tenants/counters.ts';
import { isBase } from '../tenants/ensure-base-tenant.ts';
import { checkAppId, checkConnectionUriDomain, checkTenantId } from './identifiers.ts';
import { everyTenant } from '../tenants/pages.ts';
import { allow } from './permission.ts';
import { type TenantRecord, tenants, tombstones, WHOLE_APP } from '../tenants/records.ts';

/** Whether there was something to remove. */
export interface Removal {
  readonly didExist: boolean;
}

/** Id of a tenant that may be removed; the public one goes with its app (contract 04 section 5.6). @throws Refusal */
export function removableTenantId(text: string): string {
  const tenantId = checkTenantId(text);
  allow(tenantId !== DEFAULT_TENANT_ID, 'Cannot delete public tenant, use remove app API instead');
  return tenantId;
}

/** Id of an app that may be removed; the public one goes with its domain (contract 04 section 5.7). @throws Refusal */
export function removableAppId(text: string): string {
  const appId = checkAppId(text);
  allow(appId !== DEFAULT_APP_ID, 'Cannot delete the public app, use remove connection uri domain API instead');
  return appId;
}

/** Removes a tenant with everything that belongs to it alone (contract 04 sections 5.6 and 5.9). @throws Refusal */
export function removeTenant(context: Context, command: { readonly tenantId: string }): Promise<Removal> {
  const { cud, appId, tenantId } = context.address;
  allow(tenantId === DEFAULT_TENANT_ID, 'Only the public tenantId is allowed to delete a tenant');
  const key = [cud, appId, removableTenantId(command.tenantId)] as const;
  return remove(context, async (tx) => {
    const record = await tx.get(tenants, key);
    if (!record) return false;
    await bury(tx, record, context.now(), record.tenant);
    await recordEvent(tx, context, 'tenant.removed', { at: record });
    return true;
  });
}

/** Removes an app that has no other tenant than the public one (contract 04 section 5.7). @throws Refusal */
export function removeApp(context: Context, command: { readonly appId: string }): Promise<Removal> {
  const { cud, appId, tenantId } = context.address;
  const isAllowed = tenantId === DEFAULT_TENANT_ID && appId === DEFAULT_APP_ID;
  allow(isAllowed, 'Only the public tenantId and public appId is allowed to delete an app');
  const prefix = [cud, removableAppId(command.appId)] as const;
  return remove(context, async (tx) => {
    const members = await tx.list(tenants, undefined, { prefix, limit: 2 });
    allow(members.length < 2, 'Please delete all tenants except the public tenant for this app before calling the delete API');
    for (const record of members) {
      await bury(tx, record, context.now(), WHOLE_APP);
      await recordEvent(tx, context, 'app.removed', { at: record });
    }
    return members.length > 0;
  });
}

/** Removes a domain with its public app's tenants, if it has no other app (contract 04 section 5.8). @throws Refusal */
export function removeConnectionUriDomain(context: Context, command: { readonly connectionUriDomain: string }): Promise<Removal> {
  allow(
    isBase(context.address),
    'Only the public tenantId, public appId and default connectionUriDomain is allowed to delete a connectionUriDomain',
  );
  const cud = checkConnectionUriDomain(command.connectionUriDomain);
  return remove(context, async (tx) => {
    const hasApps = (await appsBesidesPublic(tx, cud)).length > 0;
    allow(!hasApps, 'Please delete all apps except the public appID for this connectionUriDomain before calling the delete API.');
    const members = await everyTenant((page) => tx.page(tenants, undefined, { prefix: [cud, DEFAULT_APP_ID], ...page }));
    for (const record of members) await bury(tx, record, context.now(), WHOLE_APP);
    const [first] = members;
    if (first) await recordEvent(tx, context, 'connection-uri-domain.removed', { at: first });
    return members.length > 0;
  });
}

/** A key of an app of the domain other than `public`, if there is one; app ids sort on both sides of `public`. */
async function appsBesidesPublic(tx: Transaction, cud: string): Promise<KeyOf<typeof tenants>[]> {
  const before = await tx.keys(tenants, undefined, { prefix: [cud], until: [cud, DEFAULT_APP_ID], limit: 1 });
  const after = await tx.keys(tenants, undefined, { prefix: [cud], from: [cud, `${DEFAULT_APP_ID}\0`], limit: 1 });
  return [...before, ...after];
}

async function remove({ store, directory }: Context, body: (tx: Transaction) => Promise<boolean>): Promise<Removal> {
  const didExist = await store.transact(async (tx) => {
    const existed = await body(tx);
    if (existed) await markChange(tx);
    return existed;
  });
  if (didExist) directory.changed();
  return { didExist };
}

/** Removes the record, which hides all that is kept under its numbers, and leaves a tombstone for the clean-up. */
async function bury(tx: Transaction, record: TenantRecord, removedAt: number, tenant: TenantNumber): Promise<void> {
  await tx.delete(tenants, tenants.key(record));
  await tx.put(tombstones, { removedAt, app: record.app, tenant });
}
