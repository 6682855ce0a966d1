import type { Passwords } from '../src/crypto/crypto.ts';
import { hashPassword, verifyPassword } from '../src/crypto/passwords.ts';
import { performs } from '../src/lanes/perform.ts';

/** Hashes or checks passwords. */
export default performs<Passwords>({ hashPassword, verifyPassword });
