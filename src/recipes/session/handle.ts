import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { SessionHandle } from '../session-records/records.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_TENANT_ID } from '../tenants/address.ts';

/** Characters of a UUID, hyphens included, that hold its first 48 bits. */
const TIME_CHARS = 13;

/**
 * A new handle; names its tenant unless public (contract 02 section 1.2). A uuid v4 that starts with 48 bits of time,
 * so that sessions in use are neighbours in the store and share pages (docs/decisions/0020); 74 bits are random.
 * @param randomId a random uuid v4 @param now ms since the epoch
 */
export function newHandle(randomId: string, now: number, tenantId: string): SessionHandle {
  const time = now.toString(16).padStart(12, '0');
  const handle = `${time.slice(0, 8)}-${time.slice(8)}${randomId.slice(TIME_CHARS)}`;
  return (tenantId === DEFAULT_TENANT_ID ? handle : `${handle}_${tenantId}`) as SessionHandle;
}

/** The tenant id a handle names: its second part, normalised, whatever follows; an empty part names none. */
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
