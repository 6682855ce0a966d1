import { LaneFullError } from '../../lanes/lane-errors.ts';
import type { SpCredential } from '../../crypto/saml/saml.ts';
import type { Reader, Store } from '../../store/store.ts';
import { SYSTEM } from '../audit/event.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { samlEncryptionCredentials, samlSpCredentials } from './records.ts';

const DAY_MS = 86_400_000;
/** How long before its certificate ends a key gets a published successor: providers have to read the metadata again. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** So long before its end a key signs for the last time: clocks differ, and requests are on their way. */
const RETIRE_BEFORE_MS = DAY_MS;

/** What a key is for, and where keys for it are kept. */
const KEPT = { signing: samlSpCredentials, encryption: samlEncryptionCredentials };

type Purpose = keyof typeof KEPT;

/** Renewals under way in this thread, by purpose and tenant number: callers, who need no API key, all share one. */
const renewing = new WeakMap<Store, Map<string, Promise<readonly SpCredential[]>>>();

/**
 * The tenant's usable keys, oldest first; usually one. The first is made at the first use, and a successor before the
 * last one ends (contract 00, SAML SP certificate; contract 06 section 1.5).
 */
export async function spCredentials(context: Context, tenant: Tenant, purpose: Purpose): Promise<readonly SpCredential[]> {
  const kept = await context.store.read((reader) => reader.get(KEPT[purpose], [tenant.app, tenant.tenant]));
  const usable = usableAt(kept?.credentials ?? [], context.now());
  if (!isDue(usable, context.now())) return usable;
  try {
    return await renewOnce(context, tenant, purpose);
  } catch (error) {
    // A successor has a month to be made, so a busy lane is no reason to refuse what the present key can do.
    if (error instanceof LaneFullError && usable.length > 0) return usable;
    throw error;
  }
}

/** The key that signs: the oldest, whose certificate providers have had the longest, until it is about to end. */
export async function signingCredential(context: Context, tenant: Tenant): Promise<SpCredential> {
  const credentials = await spCredentials(context, tenant, 'signing');
  const latest = context.now() + RETIRE_BEFORE_MS;
  const chosen = credentials.find(({ notAfter }) => notAfter > latest) ?? credentials.at(-1);
  if (!chosen) throw new Error('a new certificate of a SAML service provider has ended already');
  return chosen;
}

/** The private keys that read what was encrypted for the tenant. Never made here: none if none was ever published. */
export async function decryptionKeys({ now }: Context, reader: Reader, { app, tenant }: Tenant): Promise<readonly string[]> {
  const kept = await reader.get(samlEncryptionCredentials, [app, tenant]);
  return usableAt(kept?.credentials ?? [], now()).map(({ privateKey }) => privateKey);
}

const usableAt = (credentials: readonly SpCredential[], now: number): readonly SpCredential[] =>
  credentials.filter(({ notAfter }) => notAfter > now);

const isDue = (usable: readonly SpCredential[], now: number): boolean => (usable.at(-1)?.notAfter ?? 0) - RENEW_BEFORE_MS <= now;

function renewOnce(context: Context, tenant: Tenant, purpose: Purpose): Promise<readonly SpCredential[]> {
  const underWay = renewing.get(context.store) ?? new Map<string, Promise<readonly SpCredential[]>>();
  renewing.set(context.store, underWay);
  const name = `${purpose} ${tenant.tenant}`;
  const running = underWay.get(name);
  if (running) return running;
  const renewal = renew(context, tenant, purpose).finally(() => underWay.delete(name));
  underWay.set(name, renewal);
  return renewal;
}

/** Makes a key outside of the transaction; of several threads and processes doing so, the first to write wins. */
async function renew(context: Context, tenant: Tenant, purpose: Purpose): Promise<readonly SpCredential[]> {
  const { store, crypto, now } = context;
  const made = await crypto.newSpCredential(now());
  return store.transact(async (tx) => {
    const key = [tenant.app, tenant.tenant] as const;
    const stored = usableAt((await tx.get(KEPT[purpose], key))?.credentials ?? [], now());
    if (!isDue(stored, now())) return stored;
    const credentials = [...stored, made];
    await tx.put(KEPT[purpose], { app: tenant.app, tenant: tenant.tenant, credentials });
    await recordEvent(tx, context, 'signing-key.created', { at: tenant, by: SYSTEM, details: { use: `saml ${purpose}` } });
    return credentials;
  });
}
