import { type MaybePromise, whenReady } from '../../store/store.ts';
import type { Context, Tenant } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_TENANT_ID } from '../scope.ts';

/** A new session handle; the handle names its tenant unless that is the public one (contract 02 section 1.2). */
export function newHandle(randomId: string, tenantId: string): string {
  return tenantId === DEFAULT_TENANT_ID ? randomId : `${randomId}_${tenantId}`;
}

/** The tenant id a handle names: its second part, whatever follows, in the form in which tenant ids are compared; an empty part names none. */
export function tenantIdOfHandle(handle: string): string {
  return handle.split('_', 2)[1]?.trim().toLowerCase() || DEFAULT_TENANT_ID;
}

/** A tenant of the request's app by its id, as handles and tokens name it; refuses with the not-found text. */
export function tenantOfApp(context: Context, tenantId: string): MaybePromise<Tenant> {
  const { cud, appId } = context.address;
  const address = { cud, appId, tenantId };
  return whenReady(context.directory.find(address), (tenant) => {
    if (!tenant) throw new Refusal('tenant-not-found', address);
    return tenant;
  });
}
