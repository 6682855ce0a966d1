import { pagesOf } from '../../store/pages.ts';
import type { Reader, Transaction } from '../../store/store.ts';
import { type Pace, pauseLeft } from './judge-attempt.ts';
import { type Owner, tenantTotpAttempts, totpAttempts } from './records.ts';

/** Forgets the wrong codes of a user id, so that the next one is judged. Codes that were used stay used. */
export async function forgetTotpFailures(tx: Transaction, { app, userId }: Owner): Promise<void> {
  const own = await tx.get(totpAttempts, [app, userId]);
  if (own) await tx.put(totpAttempts, { ...own, failures: [] });
  const ofTenants = pagesOf((page) => tx.page(tenantTotpAttempts, 'byUser', { prefix: [app, userId], ...page }));
  for await (const page of ofTenants) for (const record of page) await tx.put(tenantTotpAttempts, { ...record, failures: [] });
}

/** Whether codes of a user id are not even looked at, by the rules of a tenant. @param now ms since the epoch */
export async function isTotpPaused(reader: Reader, { app, userId }: Owner, pace: Pace, now: number): Promise<boolean> {
  const own = await reader.get(totpAttempts, [app, userId]);
  return own !== undefined && pauseLeft(own.failures, pace, now) > 0;
}
