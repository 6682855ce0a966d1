import type { Config } from '../../config/config.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { HashOptions, Passwords } from '../../crypto/crypto.ts';
import { hashParameters } from '../email-password/hash-parameters.ts';
import type { ImportedMethod, ImportedUser } from './imported-user.ts';

/**
 * The user with hashes in place of plain-text passwords, for `importUser`: hashing takes too long for a transaction. A
 * hash that came with its algorithm is stored as it came, whatever password stands beside it.
 * @param config of the app @throws LaneFullError
 */
export function preparePasswords(
  user: ImportedUser,
  crypto: Pick<Passwords, 'hashPassword'>,
  config: Config,
  options: HashOptions = { lane: 'import' },
): MaybePromise<ImportedUser> {
  return user.loginMethods.every(isReady) ? user : withHashes(user, crypto, config, options);
}

async function withHashes(
  user: ImportedUser,
  crypto: Pick<Passwords, 'hashPassword'>,
  config: Config,
  options: HashOptions,
): Promise<ImportedUser> {
  const loginMethods: ImportedMethod[] = [];
  // One after the other, so that one user never fills a lane.
  for (const method of user.loginMethods) {
    const { plainTextPassword, ...rest } = method;
    if (isReady(method) || plainTextPassword === undefined) loginMethods.push(method);
    else loginMethods.push({ ...rest, passwordHash: await crypto.hashPassword(plainTextPassword, hashParameters(config), options) });
  }
  return { ...user, loginMethods };
}

const isReady = ({ plainTextPassword, passwordHash, hashingAlgorithm }: ImportedMethod): boolean =>
  plainTextPassword === undefined || (passwordHash !== undefined && hashingAlgorithm !== undefined);
