import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { SessionHandle } from '../session-records/records.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_TENANT_ID } from '../tenants/address.ts';

/** Characters of a UUID, hyphens included, that hold its first 48 bits. */
const TIME_CHARS = 13;

/**
 * A new session handle; the handle names its tenant unless that is the public one (contract 02 section 1.2). A uuid v4 in form, whose first 48 bits
 * are the time: sessions of one time then stand side by side in the store, so that those in use share pages (docs/decisions/0020). 74 random bits are left.
 * @param randomId a random uuid v4 @param now ms since the epoch
 */
export function newHandle(randomId: string, now: number, tenantId: string): SessionHandle {
  const time = now.toString(16).padStart(12, '0');
  const handle = `${time.slice(0, 8)}-${time.slice(8)}${randomId.slice(TIME_CHARS)}`;
  return (tenantId === DEFAULT_TENANT_ID ? handle : `${handle}_${tenantId}`) as SessionHandle;
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
