import type { Crypto } from '../../crypto/crypto.ts';
import { type Recorder, recordEvent } from '../audit/record-event.ts';
import { changeApp } from '../tenants/app-record.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Store } from '../../store/store.ts';
import { dynamicSigningKey, type KeyTimes, staticSigningKey } from './key-life.ts';
import { freeTime, isDynamic, keysOf, type SigningKeyRecord, signingKeys } from './records.ts';
import type { SigningKeys } from './signing-keys.ts';

/** `dynamic`: replaced at intervals; `static`: replaced by operators alone. */
export type KeyKind = 'dynamic' | 'static';

/** A signing key as operators see it. Times are ms since the epoch. */
export interface ShownKey {
  readonly kid: string;
  readonly kind: KeyKind;
  readonly createdAt: number;
  /** From when it signs what is signed with its kind, if no newer key does by then. */
  readonly signsFrom: number;
  /** When the next key of its kind takes over, or its interval ends; null: nothing is due to replace it. */
  readonly signsUntil: number | null;
  /** Until when it verifies; null: until an operator retires it. */
  readonly verifiesUntil: number | null;
  /** `coming`: published, signs soon; `signing`; `verifying`: an older one, for tokens it signed. */
  readonly state: 'coming' | 'signing' | 'verifying';
}

/** What the operator's verbs work with. */
interface Parts extends Recorder {
  readonly store: Store;
  readonly keys: SigningKeys;
  readonly crypto: Pick<Crypto, 'keyPairFor'>;
  readonly directory: TenantDirectory;
  readonly randomId: () => string;
}

const kindOf = (kid: string): KeyKind => (isDynamic(kid) ? 'dynamic' : 'static');

/** The keys of an app that sign or verify, dynamic ones first, each kind newest first. */
export async function listSigningKeys({ keys, now }: Pick<Parts, 'keys' | 'now'>, tenant: Tenant): Promise<readonly ShownKey[]> {
  const set = await keys.current(tenant);
  const times = keys.times(tenant);
  const time = now();
  const signing = { dynamic: dynamicSigningKey(set.dynamic, times, time), static: staticSigningKey(set.static, times, time) };
  return (['dynamic', 'static'] as const).flatMap((kind) =>
    // Each kind is newest first.
    set[kind].map((key, at) => shown(key, times, signing[kind], set[kind][at - 1])),
  );
}

/** @param next the key of its kind that was made after it */
function shown({ kid, createdAt }: Dated, times: KeyTimes, signing: Dated | undefined, next: Dated | undefined): ShownKey {
  const kind = kindOf(kid);
  const { intervalMs, overlapMs } = times;
  const ends = [...(kind === 'dynamic' ? [createdAt + intervalMs] : []), ...(next ? [next.createdAt + overlapMs] : [])];
  const isSigning = signing?.kid === kid;
  return {
    kid,
    kind,
    createdAt,
    signsFrom: createdAt + overlapMs,
    signsUntil: ends.length === 0 ? null : Math.min(...ends),
    verifiesUntil: kind === 'dynamic' ? createdAt + times.verifiableMs : null,
    state: isSigning ? 'signing' : signing && createdAt > signing.createdAt ? 'coming' : 'verifying',
  };
}

type Dated = Pick<SigningKeyRecord, 'kid' | 'createdAt'>;

/**
 * Makes a new key of a kind. It is published at once and signs a minute later, when verifiers have had time to fetch
 * it (contract 02 section 1.4); the keys before it go on verifying. Answers the new key's id.
 */
export async function rotateSigningKey(parts: Parts, tenant: Tenant, kind: KeyKind): Promise<string> {
  const { store, crypto, directory, now, randomId } = parts;
  const asked = randomId();
  const pair = await crypto.keyPairFor(`${tenant.app} ${kind} asked for ${asked}`, true);
  const kid = await store.transact(async (tx) => {
    await changeApp(tx, tenant, counted);
    const time = now();
    const createdAt = kind === 'dynamic' ? freeTime(await tx.list(signingKeys, undefined, keysOf(tenant.app)), time) : time;
    const made = kind === 'dynamic' ? `d-${createdAt}` : `s-${asked}`;
    await tx.put(signingKeys, { app: tenant.app, kid: made, ...pair, createdAt });
    await recordEvent(tx, parts, 'signing-key.created', { at: tenant, details: { key: made } });
    return made;
  });
  directory.changed();
  return kid;
}

/** What was retired. */
export interface Retirement {
  readonly kid: string;
  readonly kind: KeyKind;
  /** It signed until now: a new one takes its place at once, which verifiers do not know yet. */
  readonly wasSigning: boolean;
}

/** Removes a key now: nothing that it signed verifies any more. Undefined where the app has no such key. */
export async function retireSigningKey(parts: Parts, tenant: Tenant, kid: string): Promise<Retirement | undefined> {
  const { store, directory } = parts;
  const state = (await listSigningKeys(parts, tenant)).find((key) => key.kid === kid)?.state;
  const didExist = await store.transact(async (tx) => {
    if (!(await tx.get(signingKeys, [tenant.app, kid]))) return false;
    await changeApp(tx, tenant, counted);
    await tx.delete(signingKeys, [tenant.app, kid]);
    await recordEvent(tx, parts, 'signing-key.retired', { at: tenant, details: { key: kid } });
    return true;
  });
  directory.changed();
  return didExist ? { kid, kind: kindOf(kid), wasSigning: state === 'signing' } : undefined;
}

const counted = ({ keyChanges = 0 }: { readonly keyChanges?: number | undefined }) => ({ keyChanges: keyChanges + 1 });
