import { LIMITS } from '../../config/limits.ts';
import { hashFamily, isFirebaseHash, isTooCostly, TOO_COSTLY_MESSAGE } from '../../crypto/password-hashes.ts';
import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { addLoginMethod, changeLoginMethod, methodByInfo, newLoginMethod } from '../accounts/login-methods.ts';
import { normaliseEmail } from '../normalise.ts';
import { loadUser, type User } from '../users/user.ts';
import { requireEmailPassword } from './enabled.ts';
import { requireSignerKey } from './signer-key.ts';

type Command = Commands['email-password/import-password-hash'];

export interface ImportPasswordHashResult {
  readonly user: User;
  readonly didUserAlreadyExist: boolean;
}

/** What is asked of the form of a hash; one that is malformed behind its beginning simply fails at every sign-in. */
const FORMATS = {
  ARGON2: { matches: (hash: string) => hashFamily(hash) === 'argon2', name: 'Argon2 ' },
  BCRYPT: { matches: (hash: string) => hashFamily(hash) === 'bcrypt', name: 'BCrypt ' },
  FIREBASE_SCRYPT: { matches: isFirebaseHash, name: 'Firebase SCrypt ' },
} as const;

const isAlgorithm = (name: string): name is keyof typeof FORMATS => Object.hasOwn(FORMATS, name);

/** The algorithm, where one is named, must be one of three. */
export function checkImportPasswordHash({ hashingAlgorithm }: Command): void {
  if (hashingAlgorithm === undefined || isAlgorithm(hashingAlgorithm.toUpperCase())) return;
  throw new Refusal('bad-input', { text: 'Unsupported password hashing algorithm' });
}

/** `POST /recipe/user/passwordhash/import` (contract 03 section 2.8): makes the email's user here, or sets its hash. */
export async function importPasswordHash(context: Context, command: Command): Promise<ImportPasswordHashResult> {
  const { store, tenant, directory } = context;
  requireEmailPassword(context);
  checkFormat(tenant, command);
  const { passwordHash } = command;
  const email = normaliseEmail(command.email);
  const fresh = newLoginMethod(context, { recipe: 'emailpassword', email, passwordHash });
  const { method, didUserAlreadyExist } = await store.transact(async (tx) => {
    const existing = await methodByInfo(tx, tenant, 'emailpassword', ['email', email]);
    if (existing) {
      await changeLoginMethod(tx, existing, { passwordHash });
      await recordEvent(tx, context, 'password.changed', { userId: existing.id, details: { by: 'import' } });
    } else {
      await addLoginMethod(tx, fresh);
      await recordEvent(tx, context, 'user.created', { userId: fresh.id, details: { recipe: 'emailpassword' } });
    }
    return { method: existing ?? fresh, didUserAlreadyExist: existing !== undefined };
  });
  return { user: await store.read((reader) => loadUser(reader, directory, method)), didUserAlreadyExist };
}

function checkFormat(tenant: Tenant, { passwordHash, hashingAlgorithm }: Command): void {
  const named = hashingAlgorithm?.toUpperCase();
  if (named === 'FIREBASE_SCRYPT' || (named === undefined && isFirebaseHash(passwordHash))) requireSignerKey(tenant);
  if (passwordHash.length > LIMITS.passwordHashLength)
    throw badInput(`passwordHash is too long. Max length is ${LIMITS.passwordHashLength}.`);
  const allowed = named !== undefined && isAlgorithm(named) ? [FORMATS[named]] : Object.values(FORMATS);
  if (!allowed.some(({ matches }) => matches(passwordHash))) {
    throw badInput(`Password hash is in invalid ${allowed.length === 1 ? allowed[0]?.name : ''}format`);
  }
  if (isTooCostly(passwordHash)) throw badInput(TOO_COSTLY_MESSAGE);
}

const badInput = (text: string): Refusal => new Refusal('bad-input', { text });
