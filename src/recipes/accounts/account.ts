import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Seen, Transaction } from '../../store/store.ts';
import { isUserDisabled } from './disable.ts';
import { type Identity, resolveIdentity } from './identity.ts';
import { asExternal, asInternal } from './ids.ts';
import { mappingByExternalId, mappingByInternalId } from './mappings.ts';
import { type LoginMethodRecord, loginMethods, users } from './records.ts';

/** Whom an id stands for, with the question that whoever lets them in has to ask in the same transaction. */
export interface Account {
  readonly identity: Identity;
  /** Whether they are disabled; costs no round of reads unless that has changed since. */
  readonly isDisabledIn: (tx: Transaction) => MaybePromise<boolean>;
}

/** Resolves an id in as many rounds as `identityOf`. */
export function accountOf(reader: Reader, app: AppNumber, id: string): MaybePromise<Account> {
  const own = asInternal(id);
  const round = allReady([
    reader.getMany([mappingByExternalId(app, asExternal(id)), mappingByInternalId(app, own)]),
    reader.getSeen(loginMethods, [app, own]),
  ]);
  return whenReady(round, ([[ofExternal, ofInternal], seen]) => {
    const mappedId = seen ? undefined : ofExternal?.superTokensUserId;
    const resolved = allReady([
      resolveIdentity(reader, app, id, [ofExternal, ofInternal, seen?.record]),
      mappedId === undefined ? seen : reader.getSeen(loginMethods, [app, mappedId]),
    ]);
    return whenReady(resolved, ([identity, method]) => ({
      identity,
      isDisabledIn: (tx) => (identity.known && method ? isStillDisabled(tx, method) : isDisabledWithoutMethod(tx, app, identity)),
    }));
  });
}

function isStillDisabled(tx: Transaction, seen: Seen<LoginMethodRecord>): MaybePromise<boolean> {
  return whenReady(tx.recall(loginMethods, loginMethods.key(seen.record), seen), (method) => method?.isDisabled === true);
}

/** Ids without a login method are strangers', or seldom those of primary users whose own method is gone. */
function isDisabledWithoutMethod(tx: Transaction, app: AppNumber, { internalPrimaryId }: Identity): MaybePromise<boolean> {
  const user = tx.recall(users, [app, internalPrimaryId], undefined);
  return whenReady(user, (found) => found !== undefined && isUserDisabled(tx, app, internalPrimaryId));
}
