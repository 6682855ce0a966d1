import { LIMITS } from '../../config/limits.ts';
import { isJsonObject, type JsonTree } from '../../json/free-form.ts';
import type { ImportRules } from './import-rules.ts';
import type { ImportedUser } from './imported-user.ts';
import { firstErrors, readUser } from './validate-user.ts';

/** A user of a request that cannot be imported, with all that is wrong with it. */
export interface InvalidUser {
  /** Its place in the request, from 0. */
  readonly index: number;
  readonly errors: readonly string[];
}

export interface ValidatedUsers {
  /** In the order of the request; only if it is empty, `users` holds all of them. */
  readonly invalid: readonly InvalidUser[];
  /** The valid ones, normalised, in the order of the request. */
  readonly users: readonly ImportedUser[];
}

/** Checks and normalises users of a request (contract 05 section 6.3), in any thread: reads no store, never throws. */
export function validateUsers(users: readonly JsonTree[], rules: ImportRules): ValidatedUsers {
  const invalid: InvalidUser[] = [];
  const valid: ImportedUser[] = [];
  let told = 0;
  for (const [index, given] of users.entries()) {
    const read = isJsonObject(given) ? readUser(given, rules) : { errors: ['A user should be of type object.'] };
    if ('user' in read) valid.push(read.user);
    else {
      const errors = firstErrors(read.errors, told < LIMITS.uploadErrors ? LIMITS.importErrors : 1);
      told += errors.length;
      invalid.push({ index, errors });
    }
  }
  return { invalid, users: valid };
}
