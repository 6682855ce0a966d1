import type { Context } from '../context.ts';
import { factsOf, type SignedInFacts } from './operator-facts.ts';

export type WhoAmIResult =
  | SignedInFacts
  | { readonly status: 'SIGNED_OUT_ERROR' }
  | { readonly status: 'INSECURE_CONNECTION_ERROR'; readonly message: string };

/** `GET /manage/v1/operator`: who is signed in in this browser; where nobody is, whether somebody could. */
export async function whoAmI(context: Context): Promise<WhoAmIResult> {
  const { browser, signedIn, store } = context;
  if (browser?.insecure !== undefined) return { status: 'INSECURE_CONNECTION_ERROR', message: browser.insecure };
  const facts = signedIn && (await store.read((reader) => factsOf(context, reader, signedIn)));
  return facts ?? { status: 'SIGNED_OUT_ERROR' };
}
