import { hashPassword, verifyPassword } from '../src/crypto/passwords.ts';
import { type HashTask, type Settled, settle } from '../src/crypto/task.ts';

/** Hashes or checks one password. */
export default function runHashTask(task: HashTask): Promise<Settled<string | boolean>> {
  return settle<string | boolean>(() =>
    task.kind === 'hash' ? hashPassword(task.password, task.parameters) : verifyPassword(task.password, task.hash, task.firebaseSignerKey),
  );
}
