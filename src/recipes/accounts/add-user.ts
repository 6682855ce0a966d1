import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Reader, Transaction } from '../../store/store.ts';
import { userOf } from './login-methods.ts';
import { type LoginMethodRecord, loginMethods, uniqueInfosOf, users } from './records.ts';
import { type Conflict, findConflict, reservationsFor, reserve } from './reservations.ts';

/** What keeps new login methods from being added. */
export type NewUserObstacle =
  /** Another primary user has one of their account infos in one of their tenants. */
  | { readonly kind: 'reserved'; readonly conflict: Conflict }
  /** Another login method of its recipe, perhaps a new one too, has its account info in one of its tenants. */
  | { readonly kind: 'duplicate'; readonly method: LoginMethodRecord };

/**
 * What keeps these new login methods, with random ids, from being added: either all form one group (`isPrimary`, one
 * `primaryUserId`), or each stands alone. All reads are in one round, unless something is in the way.
 */
export function newUserObstacle(reader: Reader, methods: readonly LoginMethodRecord[]): MaybePromise<NewUserObstacle | undefined> {
  const found = allReady([findConflict(reader, reservedBy(methods)), findDuplicate(reader, methods)]);
  return whenReady(found, ([conflict, method]): NewUserObstacle | undefined => {
    if (conflict) return { kind: 'reserved', conflict };
    return method && { kind: 'duplicate', method };
  });
}

/** Adds login methods that nothing keeps from being added; reads nothing. */
export function addNewUser(tx: Transaction, methods: readonly LoginMethodRecord[]): MaybePromise<void> {
  const added = methods.map((method) => tx.insert(loginMethods, method));
  const listed = groupsOf(methods).map((group) => tx.insert(users, userOf(group[0].primaryUserId, group, group[0])));
  return whenReady(allReady([...added, ...listed, reserve(tx, reservedBy(methods))]), (taken) => {
    if (taken.some((index) => index !== undefined)) throw new Error('an account info was taken after it had been found free');
  });
}

function reservedBy(methods: readonly LoginMethodRecord[]) {
  const [first] = methods;
  return first?.isPrimary ? reservationsFor(first.primaryUserId, methods) : [];
}

type Group = [LoginMethodRecord, ...LoginMethodRecord[]];

function groupsOf(methods: readonly LoginMethodRecord[]): Group[] {
  const [first, ...others] = methods;
  if (first && others.length === 0) return [[first]];
  const groups = new Map<string, Group>();
  for (const method of methods) {
    const group = groups.get(method.primaryUserId);
    if (group) group.push(method);
    else groups.set(method.primaryUserId, [method]);
  }
  return [...groups.values()];
}

/** The first of the methods whose account info is taken, be it by one before it. */
function findDuplicate(reader: Reader, methods: readonly LoginMethodRecord[]): MaybePromise<LoginMethodRecord | undefined> {
  const wanted = methods.flatMap((method) => {
    const infos = uniqueInfosOf(method);
    return method.tenants.flatMap((tenant) =>
      infos.map((info) => ({ method, key: [method.app, tenant, method.recipe, ...info] as const })),
    );
  });
  return whenReady(allReady(wanted.map(({ key }) => reader.find(loginMethods, 'accountInfo', key))), (owners) => {
    const taken = owners.findIndex((owner) => owner !== undefined);
    const twice = firstRepeated(methods, wanted);
    const first = taken < 0 || twice < 0 ? Math.max(taken, twice) : Math.min(taken, twice);
    return wanted[first]?.method;
  });
}

/** The place of the first key that stood before. */
function firstRepeated(methods: readonly LoginMethodRecord[], wanted: readonly { readonly key: readonly unknown[] }[]): number {
  const seen = new Set<string>();
  // A single method cannot be in its own way.
  return methods.length === 1 ? -1 : wanted.findIndex(({ key }) => seen.size === seen.add(JSON.stringify(key)).size);
}
