import { LaneFullError } from '../../crypto/lanes.ts';
import type { SpCredential } from '../../crypto/saml/saml.ts';
import type { Store } from '../../store/store.ts';
import type { Context, Tenant } from '../context.ts';
import { samlSpCredentials } from './records.ts';

const DAY_MS = 86_400_000;
/** So long before its certificate ends a key gets a successor, which is published beside it: time for identity providers to read the metadata again. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** So long before its end a key signs for the last time: clocks differ, and requests are on their way. */
const RETIRE_BEFORE_MS = DAY_MS;

/** Renewals that are under way in this thread, by the number of the tenant: any number of callers, who need no key, share one. */
const renewing = new WeakMap<Store, Map<number, Promise<readonly SpCredential[]>>>();

/**
 * The keys that the tenant publishes, oldest first; usually one. The first is made at the first use, and a successor before the last one
 * ends (contract 00, SAML SP certificate; contract 06 section 1.5).
 */
export async function spCredentials(context: Context, tenant: Tenant): Promise<readonly SpCredential[]> {
  const kept = await context.store.read((reader) => reader.get(samlSpCredentials, [tenant.app, tenant.tenant]));
  const usable = usableAt(kept?.credentials ?? [], context.now());
  if (!isDue(usable, context.now())) return usable;
  try {
    return await renewOnce(context, tenant);
  } catch (error) {
    // A successor has a month to be made, so a busy lane is no reason to refuse what the present key can do.
    if (error instanceof LaneFullError && usable.length > 0) return usable;
    throw error;
  }
}

/** The key that signs: the oldest, whose certificate identity providers have had the longest, until it is about to end. */
export async function signingCredential(context: Context, tenant: Tenant): Promise<SpCredential> {
  const credentials = await spCredentials(context, tenant);
  const latest = context.now() + RETIRE_BEFORE_MS;
  const chosen = credentials.find(({ notAfter }) => notAfter > latest) ?? credentials.at(-1);
  if (!chosen) throw new Error('a new certificate of a SAML service provider has ended already');
  return chosen;
}

const usableAt = (credentials: readonly SpCredential[], now: number): readonly SpCredential[] =>
  credentials.filter(({ notAfter }) => notAfter > now);

const isDue = (usable: readonly SpCredential[], now: number): boolean => (usable.at(-1)?.notAfter ?? 0) - RENEW_BEFORE_MS <= now;

function renewOnce(context: Context, tenant: Tenant): Promise<readonly SpCredential[]> {
  const underWay = renewing.get(context.store) ?? new Map<number, Promise<readonly SpCredential[]>>();
  renewing.set(context.store, underWay);
  const running = underWay.get(tenant.tenant);
  if (running) return running;
  const renewal = renew(context, tenant).finally(() => underWay.delete(tenant.tenant));
  underWay.set(tenant.tenant, renewal);
  return renewal;
}

/** Makes a key outside of the transaction; of several threads and processes that do so at once, the first to write wins. */
async function renew({ store, crypto, now }: Context, tenant: Tenant): Promise<readonly SpCredential[]> {
  const made = await crypto.newSpCredential(now());
  return store.transact(async (tx) => {
    const key = [tenant.app, tenant.tenant];
    const stored = usableAt((await tx.get(samlSpCredentials, key))?.credentials ?? [], now());
    if (!isDue(stored, now())) return stored;
    const credentials = [...stored, made];
    await tx.put(samlSpCredentials, { app: tenant.app, tenant: tenant.tenant, credentials });
    return credentials;
  });
}
