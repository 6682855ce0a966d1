// Users that sign in.
import { randomBytes } from 'node:crypto';
import { askOnce } from './core.mjs';

/** Signs `count` users up and answers their e-mail addresses and passwords. */
export async function makeUsers(port, count) {
  const run = randomBytes(4).toString('hex');
  const users = Array.from({ length: count }, (_, n) => ({ email: `user-${run}-${n}@example.com`, password: `correct horse ${n}` }));
  await askOnce('load/generator.mjs', { kind: 'makeUsers', port, users, connections: 8 });
  return users;
}
