import type { Context } from '../context.ts';
import { requirePasswordless } from './enabled.ts';
import { judgeProof, type ProofCommand, RESTART, readProof, type Verdict } from './prove-code.ts';

/** `POST /recipe/signinup/code/check` (contract 03 section 5.4): like consuming a code, but uses up only tries. */
export async function checkCode(context: Context, command: ProofCommand): Promise<Verdict> {
  requirePasswordless(context);
  const proof = await readProof(context, command);
  if (!proof) return RESTART;
  const now = context.now();
  return context.store.transact((tx) => judgeProof(tx, context, proof, now));
}
