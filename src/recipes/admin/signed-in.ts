import type { Context } from '../context.ts';
import type { SignedIn } from '../operators/sessions.ts';
import { Refusal } from '../refusal.ts';

/** The operator who calls; rows with `browser: 'session'` have one always. @throws Refusal */
export function signedInOf({ signedIn }: Context): SignedIn {
  if (!signedIn) throw new Refusal('signed-out');
  return signedIn;
}
