import type { Collection } from '../../store/collection.ts';
import { deleteAll } from '../../store/delete-all.ts';
import { deleteUnder } from '../../store/delete-under.ts';
import { pagesOf } from '../../store/pages.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Key, KeyIn, Leading, Read, Reader, TenantNumber, Transaction } from '../../store/store.ts';
import { type Recorder, recordEvent } from '../audit/record-event.ts';
import { existingTenants } from '../tenants/tenant-exists.ts';
import { type VerificationTokenRecord, type VerifiedEmailRecord, verificationTokens, verifiedEmails } from './records.ts';

/** Tokens of a user, of one in a tenant, or of one with an email there. */
export type TokenPrefix = Leading<KeyIn<typeof verificationTokens, 'byUser'>>;

/** The read that tells whether a user has verified an email; the id is the external one of mapped users. */
export function verifiedEmail(app: AppNumber, userId: string, email: string): Read<typeof verifiedEmails> {
  return { collection: verifiedEmails, key: [app, userId, email] };
}

/** Marks an email of a user as verified, in the caller's transaction. */
export function markEmailVerified(tx: Transaction, app: AppNumber, userId: string, email: string): MaybePromise<string | undefined> {
  return tx.put(verifiedEmails, { app, userId, email });
}

/**
 * Marks an email as verified because somebody has proven to read it, and tells of it where it was not verified before.
 * The id is the external one of mapped users. Who has read the email already (`verifiedEmail`) waits for nothing.
 */
export async function verifyEmailOf(tx: Transaction, recorder: Recorder, record: VerifiedEmailRecord): Promise<void> {
  const { app, userId, email } = record;
  const [before] = await tx.getMany([verifiedEmail(app, userId, email)]);
  if (before) return;
  await tx.put(verifiedEmails, record);
  await recordEvent(tx, recorder, 'email.verified', { userId });
}

/** Whether a user id has verified emails or verification tokens here, even expired ones (contract 01 section 4). */
export async function isVerificationUsed(reader: Reader, app: AppNumber, userId: string): Promise<boolean> {
  const [emails, hasTokens] = await Promise.all([
    reader.keys(verifiedEmails, undefined, { prefix: [app, userId], limit: 1 }),
    areTokensKept(reader, app, userId),
  ]);
  return emails.length > 0 || hasTokens;
}

/** Whether there is a token in a tenant that was not removed. */
async function areTokensKept(reader: Reader, app: AppNumber, userId: string): Promise<boolean> {
  const prefix = [app, userId] as const;
  for await (const page of pagesOf((range) => reader.page(verificationTokens, 'byUser', { prefix, ...range }))) {
    const tenants = page.map(({ tenant }) => tenant);
    if ((await existingTenants(reader, app, tenants)).size > 0) return true;
  }
  return false;
}

/** Removes all verified emails of a user id and its tokens in all tenants, in the caller's transaction. */
export async function removeVerificationData(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await Promise.all([deleteUnder(tx, verifiedEmails, undefined, [app, userId]), removeTokens(tx, [app, userId])]);
}

/** Removes the tokens of a user id in one tenant, in the caller's transaction; answers whether there was any. */
export async function removeTokensInTenant(tx: Transaction, app: AppNumber, tenant: TenantNumber, userId: string): Promise<boolean> {
  return (await removeTokens(tx, [app, userId, tenant])) > 0;
}

/** Moves all verified emails and tokens to another user id, as a new mapping asks for (contract 01 section 4.1). */
export async function moveVerificationData(tx: Transaction, app: AppNumber, fromUserId: string, toUserId: string): Promise<void> {
  const [emails, tokens] = await Promise.all([takeVerifiedEmails(tx, app, fromUserId), takeTokens(tx, [app, fromUserId])]);
  const moved = emails.map((email) => ({ ...email, userId: toUserId }));
  await tx.getMany(moved.map((email) => verifiedEmail(app, toUserId, email.email)));
  for (const email of moved) await tx.put(verifiedEmails, email);
  for (const token of tokens) await tx.put(verificationTokens, { ...token, userId: toUserId });
}

/**
 * Removes the tokens under a prefix of their index by user, in the caller's transaction; answers how many there were.
 * @param used the token by which the caller decides
 */
export function removeTokens(tx: Transaction, prefix: TokenPrefix, used?: VerificationTokenRecord): Promise<number> {
  return deleteUnder(tx, verificationTokens, 'byUser', prefix, used && verificationTokens.key(used));
}

/** Removes all tokens of a user id, in the caller's transaction; answers them. */
function takeTokens(tx: Transaction, prefix: TokenPrefix): Promise<VerificationTokenRecord[]> {
  return takeAll(tx, verificationTokens, 'byUser', prefix);
}

function takeVerifiedEmails(tx: Transaction, app: AppNumber, userId: string): Promise<VerifiedEmailRecord[]> {
  return takeAll(tx, verifiedEmails, undefined, [app, userId]);
}

async function takeAll<R>(tx: Transaction, collection: Collection<R>, index: string | undefined, prefix: Key): Promise<R[]> {
  const taken: R[] = [];
  for await (const records of pagesOf((page) => tx.page(collection, index, { prefix, ...page }))) {
    await deleteAll(tx, collection, records.map(collection.key));
    taken.push(...records);
  }
  return taken;
}
