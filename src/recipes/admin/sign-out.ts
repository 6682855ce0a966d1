import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { operatorSessions } from '../operators/records.ts';
import { signedInOf } from './signed-in.ts';

/** `POST /manage/v1/operator/sign-out`: ends the session of this browser. */
export async function signOut(context: Context): Promise<void> {
  const { session } = signedInOf(context);
  await context.store.transact(async (tx) => {
    await tx.delete(operatorSessions, operatorSessions.key(session));
    await recordEvent(tx, context, 'operator.signed-out');
  });
}
