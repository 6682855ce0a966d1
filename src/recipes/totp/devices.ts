import { LIMITS } from '../../config/limits.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { type Owner, type TotpDevice, totpAttempts, totpDevices } from './records.ts';
import { removeTenantAttempts } from './tenant-attempts.ts';

export type { Owner };

/** All devices of a user id, by name. */
export function devicesOf(reader: Reader, { app, userId }: Owner): MaybePromise<readonly TotpDevice[]> {
  return whenReady(reader.get(totpDevices, [app, userId]), (record) => record?.devices ?? []);
}

/** Puts these devices in the place of all that the user id has. */
export async function putDevices(tx: Transaction, { app, userId }: Owner, devices: readonly TotpDevice[]): Promise<void> {
  if (devices.length === 0) await tx.delete(totpDevices, [app, userId]);
  else await tx.put(totpDevices, { app, userId, devices: devices.toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
}

/** A device to be added; without a name it gets one. */
export type NewDevice = Omit<TotpDevice, 'name'> & { readonly name: string | undefined };

/** All devices after one is added, and its name; undefined where a verified device has that name. */
export type Addition = { readonly devices: readonly TotpDevice[]; readonly name: string } | undefined;

/**
 * Adds a device in place of one of its name; of a verified one only if `replacesVerified` (contract 05 section 4.4).
 * @throws Refusal for too many devices
 */
export function withDevice(devices: readonly TotpDevice[], device: NewDevice, replacesVerified = false): Addition {
  const verified = new Set(devices.filter((each) => each.verified).map((each) => each.name));
  const name = device.name ?? freeName(verified);
  if (verified.has(name) && !replacesVerified) return undefined;
  const all = [...devices.filter((each) => each.name !== name), { ...device, name }];
  if (all.length > LIMITS.totpDevices) {
    throw new Refusal('bad-input', { text: `A user can have at most ${LIMITS.totpDevices} TOTP devices` });
  }
  return { devices: all, name };
}

/** Adds a device and answers its name; undefined if a verified device has it. @throws Refusal for too many devices */
export async function addDevice(tx: Transaction, context: Context, userId: string, device: NewDevice): Promise<string | undefined> {
  const owner = { app: context.tenant.app, userId };
  const added = withDevice(await devicesOf(tx, owner), device);
  if (!added) return undefined;
  await putDevices(tx, owner, added.devices);
  await recordEvent(tx, context, 'totp.device-created', { userId, details: { device: added.name, isVerified: device.verified } });
  return added.name;
}

/** The first name counted from the number of verified devices that no verified device has. */
function freeName(verified: ReadonlySet<string>): string {
  let number = verified.size;
  while (verified.has(`TOTP Device ${number}`)) number++;
  return `TOTP Device ${number}`;
}

/** Removes what a user's attempts left, with which the count of failures starts again, in the caller's transaction. */
export async function removeAttempts(tx: Transaction, owner: Owner): Promise<void> {
  await Promise.all([tx.delete(totpAttempts, [owner.app, owner.userId]), removeTenantAttempts(tx, owner)]);
}

/** Whether a user id is in use here: it has a device, verified or not (contract 01 section 4). */
export async function isTotpUsed(reader: Reader, app: AppNumber, userId: string): Promise<boolean> {
  return (await devicesOf(reader, { app, userId })).length > 0;
}

/** Removes all devices of a user id and what its attempts left, in the caller's transaction. */
export async function removeTotp(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  // Without a device there are no attempts either: the last one takes them along.
  if (await tx.delete(totpDevices, [app, userId])) await removeAttempts(tx, { app, userId });
}
