import { deleteUnder } from '../../store/delete-under.ts';
import { pagesOf } from '../../store/pages.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, TenantNumber, Transaction } from '../../store/store.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { contactsOf } from './contact.ts';
import { type CodeRecord, type Contact, type DeviceRecord, devices } from './records.ts';

/** Devices that are in memory at once; each may have `MOST_CODES`. */
const PAGE = 25;

/** Most codes of a device. A resend beyond them drops the oldest, which have expired unless resends never pause. */
const MOST_CODES = 100;

/** The device of a tenant that is known by this hash. */
export function findDevice(reader: Reader, { app, tenant }: Tenant, deviceIdHash: string): MaybePromise<DeviceRecord | undefined> {
  return reader.get(devices, [app, tenant, deviceIdHash]);
}

/** The device that has a code whose link code has this hash. */
export function deviceByLinkCode(reader: Reader, { app, tenant }: Tenant, linkCodeHash: string): MaybePromise<DeviceRecord | undefined> {
  return reader.find(devices, 'linkCode', [app, tenant, linkCodeHash]);
}

/** All devices of a contact in a tenant; the order has no meaning. */
export function devicesOfContact(reader: Reader, { app, tenant }: Tenant, contact: Contact): AsyncIterable<readonly DeviceRecord[]> {
  const prefix = [app, tenant, ...contact] as const;
  return pagesOf((page) => reader.page(devices, 'byContact', { prefix, ...page }), PAGE);
}

/** The device with one more code, which is the newest; `lifetimeMs`: how long the tenant's codes live. */
export function withCode(device: DeviceRecord, code: CodeRecord, lifetimeMs: number): DeviceRecord {
  return { ...device, codes: [...device.codes, code].slice(-MOST_CODES), cleanAfter: code.createdAt + lifetimeMs };
}

/**
 * Whether a code can be used, by the lifetime that the tenant has now (contract 03 section 1.4). If the clock was set
 * back, a code lies in the future: by one lifetime at most, or it would live for longer.
 */
export function isLive(code: CodeRecord, now: number, lifetimeMs: number): boolean {
  return Math.abs(now - code.createdAt) <= lifetimeMs;
}

/** Removes a device with its codes, in the caller's transaction. */
export function removeDevice(tx: Transaction, { app, tenant }: Tenant, deviceIdHash: string): MaybePromise<boolean> {
  return tx.delete(devices, [app, tenant, deviceIdHash]);
}

/** Removes a code, and with its last code the device, in the caller's transaction. Unknown ids are no error. */
export async function removeCode(tx: Transaction, { app, tenant }: Tenant, codeId: string): Promise<void> {
  const device = await tx.find(devices, 'codeId', [app, tenant, codeId]);
  if (!device) return;
  const codes = device.codes.filter((code) => code.id !== codeId);
  if (codes.length > 0) await tx.put(devices, { ...device, codes });
  else await tx.delete(devices, devices.key(device));
}

/**
 * Removes every device of these contacts in these tenants: after a sign-in, and when a contact or login method goes.
 * @param tenants their numbers
 * @param used the device by which the caller decides
 */
export async function removeDevicesOfContacts(
  tx: Transaction,
  app: AppNumber,
  tenants: readonly TenantNumber[],
  contacts: readonly Contact[],
  used?: DeviceRecord,
): Promise<void> {
  const spared = used && devices.key(used);
  await Promise.all(
    tenants.flatMap((tenant) => contacts.map((contact) => deleteUnder(tx, devices, 'byContact', [app, tenant, ...contact], spared))),
  );
}

/** Removes the devices of the contacts of a login method, in its tenants. */
export async function removeDevicesOfMethod(
  tx: Transaction,
  app: AppNumber,
  _id: string,
  method: LoginMethodRecord | undefined,
): Promise<void> {
  if (method?.recipe === 'passwordless') await removeDevicesOfContacts(tx, app, method.tenants, contactsOf(method));
}
