import { signRs256 } from '../src/crypto/signing.ts';
import { type Settled, type SignTask, settle } from '../src/crypto/task.ts';

/** Signs one text. */
export default function runSignTask({ input, privateKey }: SignTask): Promise<Settled<Uint8Array>> {
  return settle(() => signRs256(input, privateKey));
}
