import { LIMITS } from '../../config/limits.ts';
import {
  type HashFamily,
  hashFamily,
  isFirebaseHash,
  isTooCostly,
  isWellFormed,
  TOO_COSTLY_MESSAGE,
} from '../../crypto/password-hashes.ts';
import type { JsonObject, JsonTree } from '../../json/free-form.ts';
import { normaliseEmail, normalisePhoneNumber, trimBlanks } from '../normalise.ts';
import { asInternal } from '../accounts/ids.ts';
import { FieldReader } from './field-reader.ts';
import type { ImportedMethod, ImportRecipe } from './imported-user.ts';
import type { ImportRules } from './import-rules.ts';
import { readCredentials } from './validate-credentials.ts';

/** What distinguishes the login methods of one recipe. */
type RecipeFields = Partial<
  Pick<
    ImportedMethod,
    | 'email'
    | 'passwordHash'
    | 'hashingAlgorithm'
    | 'plainTextPassword'
    | 'thirdPartyId'
    | 'thirdPartyUserId'
    | 'phoneNumber'
    | 'credentials'
  >
>;

/** What is asked of a hash of an algorithm, and how messages name it. */
interface Algorithm {
  readonly matches: (hash: string) => boolean;
  readonly name: string;
}

const wellFormed = (family: HashFamily, name: string): Algorithm => ({ name, matches: (hash) => isWellFormed(family, hash) });

/** The algorithms of the contract (03 section 1.3), which asks for a prefix only; then those of other systems, ours. */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  BCRYPT: { matches: (hash) => hashFamily(hash) === 'bcrypt', name: 'BCrypt' },
  ARGON2: { matches: (hash) => hashFamily(hash) === 'argon2', name: 'Argon2' },
  FIREBASE_SCRYPT: { matches: isFirebaseHash, name: 'Firebase SCrypt' },
  SCRYPT: wellFormed('scrypt', 'SCrypt'),
  PBKDF2: wellFormed('pbkdf2', 'PBKDF2'),
  SHA_CRYPT: wellFormed('shaCrypt', 'SHA-2 crypt'),
  MD5_CRYPT: wellFormed('md5Crypt', 'md5crypt'),
  SALTED_SHA: wellFormed('saltedSha', 'salted SHA'),
  HMAC: wellFormed('hmac', 'HMAC'),
};

/** Longest texts, as the messages name them; emails are measured against one less (contract 05 section 6.3). */
const LONGEST = { email: 256, passwordHash: LIMITS.passwordHashLength, thirdPartyId: 28, thirdPartyUserId: 256, phoneNumber: 256 } as const;

function checkLength(
  field: 'email' | 'thirdPartyId' | 'thirdPartyUserId' | 'phoneNumber',
  value: string | undefined,
  errors: string[],
): void {
  const most = field === 'email' ? LONGEST.email - 1 : LONGEST[field];
  if (value !== undefined && value.length > most) errors.push(`${field} ${value} is too long. Max length is ${LONGEST[field]}.`);
}

type RecipeReader = (reader: FieldReader, errors: string[], rules: ImportRules) => RecipeFields;

const emailPassword: RecipeReader = (reader, errors, rules) => {
  const email = reader.required('email', 'string');
  const hash = reader.optional('passwordHash', 'string');
  const algorithm = reader.optional('hashingAlgorithm', 'string');
  const plainTextPassword = reader.optional('plainTextPassword', 'string');
  if ((hash === undefined || algorithm === undefined) && plainTextPassword === undefined)
    errors.push('Either (passwordHash, hashingAlgorithm) or plainTextPassword is required for an emailpassword recipe.');
  checkLength('email', email, errors);
  const hashingAlgorithm = algorithm === undefined ? undefined : trimBlanks(algorithm).toUpperCase();
  const known = hashingAlgorithm !== undefined && Object.hasOwn(ALGORITHMS, hashingAlgorithm) ? ALGORITHMS[hashingAlgorithm] : undefined;
  if (hashingAlgorithm !== undefined && !known)
    errors.push('Invalid hashingAlgorithm for emailpassword recipe. Pass one of bcrypt, argon2 or, firebase_scrypt!');
  const passwordHash = hash === undefined ? undefined : trimBlanks(hash);
  if (hash !== undefined && known) {
    if (hash.length > LONGEST.passwordHash) errors.push(`passwordHash is too long. Max length is ${LONGEST.passwordHash}.`);
    if (hashingAlgorithm === 'FIREBASE_SCRYPT' && !rules.hasSignerKey) errors.push("'firebase_password_hashing_signer_key' cannot be null");
    if (!known.matches(trimBlanks(hash))) errors.push(`Password hash is in invalid ${known.name} format`);
    else if (isTooCostly(trimBlanks(hash))) errors.push(TOO_COSTLY_MESSAGE);
  }
  return { email, passwordHash, hashingAlgorithm, plainTextPassword };
};

const thirdParty: RecipeReader = (reader, errors) => {
  const email = reader.required('email', 'string');
  const thirdPartyId = reader.required('thirdPartyId', 'string');
  const thirdPartyUserId = reader.required('thirdPartyUserId', 'string');
  checkLength('email', email, errors);
  checkLength('thirdPartyId', thirdPartyId, errors);
  checkLength('thirdPartyUserId', thirdPartyUserId, errors);
  return { email, thirdPartyId, thirdPartyUserId };
};

const passwordless: RecipeReader = (reader, errors) => {
  const email = reader.optional('email', 'string');
  const phoneNumber = reader.optional('phoneNumber', 'string');
  checkLength('email', email, errors);
  checkLength('phoneNumber', phoneNumber, errors);
  if (email === undefined && phoneNumber === undefined) errors.push('Either email or phoneNumber is required for a passwordless recipe.');
  return { email, phoneNumber: phoneNumber === undefined ? undefined : normalisePhoneNumber(phoneNumber) };
};

const webauthn: RecipeReader = (reader, errors, rules) => {
  const email = reader.required('email', 'string');
  checkLength('email', email, errors);
  return { email, credentials: readCredentials(reader, rules, errors) };
};

const RECIPES: { readonly [R in ImportRecipe]: { readonly suffix: string; readonly read: RecipeReader } } = {
  emailpassword: { suffix: ' for an emailpassword recipe.', read: emailPassword },
  thirdparty: { suffix: ' for a thirdparty recipe.', read: thirdParty },
  passwordless: { suffix: ' for a passwordless recipe.', read: passwordless },
  webauthn: { suffix: ' for a webauthn recipe.', read: webauthn },
};

/** The reference imports no passkeys, so that a login method without any is of a recipe that it does not know. */
const isRecipe = (name: string, object: JsonObject): name is ImportRecipe =>
  Object.hasOwn(RECIPES, name) && (name !== 'webauthn' || Object.hasOwn(object, 'credentials'));

const PLACE = ' for a loginMethod.';
/** Characters of a recipe that messages show: there is one per tenant, and the answer must not dwarf the request. */
const SHOWN_RECIPE = 64;

/** Reads one login method (contract 05 section 6.3); undefined for an unknown recipe. Adds faults to `errors`. */
export function readMethod(object: JsonObject, rules: ImportRules, errors: string[]): ImportedMethod | undefined {
  const reader = new FieldReader(object, PLACE, errors);
  const recipeId = reader.required('recipeId', 'string');
  const tenantIds = reader.optional('tenantIds', 'array of string');
  const isVerified = reader.optional('isVerified', 'boolean') ?? false;
  const isPrimary = reader.optional('isPrimary', 'boolean') ?? false;
  const joined = reader.optional('timeJoinedInMSSinceEpoch', 'integer', ' for a loginMethod');
  if (recipeId !== undefined && !isRecipe(recipeId, object))
    errors.push('Invalid recipeId for loginMethod. Pass one of emailpassword, thirdparty or, passwordless!');
  const tenants = rules.tenants(tenantIds, ` for ${recipeId?.slice(0, SHOWN_RECIPE) ?? null} recipe.`, errors);
  if (joined !== undefined && joined > rules.now) errors.push('timeJoined cannot be in future for a loginMethod.');
  if (joined !== undefined && joined < 0) errors.push('timeJoined cannot be < 0 for a loginMethod.');
  if (recipeId === undefined || !isRecipe(recipeId, object)) return undefined;
  const { suffix, read } = RECIPES[recipeId];
  const fields = read(new FieldReader(object, suffix, errors), errors, rules);
  return {
    tenantIds: tenants,
    isVerified,
    isPrimary,
    timeJoinedInMSSinceEpoch: joined ?? rules.now,
    recipeId,
    ...fields,
    ...(fields.email !== undefined && { email: normaliseEmail(fields.email) }),
    superTokensUserId: asInternal(rules.randomId()),
    externalUserId: textIn(object['externalUserId']),
    externalUserIdInfo: textIn(object['externalUserIdInfo']),
  };
}

/** A member of ours that the contract does not know, and so ignores: only what it was made for is read of it. */
export function textIn(value: JsonTree | undefined): string | undefined {
  return typeof value === 'string' && trimBlanks(value) !== '' ? trimBlanks(value) : undefined;
}

/** The message for a login method that is in no tenant, or no longer; without secrets (contract 05 section 6.3). */
export function noTenantText({ recipeId, email, phoneNumber, thirdPartyId, thirdPartyUserId, superTokensUserId }: ImportedMethod): string {
  const shown = { tenantIds: [], recipeId, email, phoneNumber, thirdPartyId, thirdPartyUserId, superTokensUserId };
  return `LoginMethod '${JSON.stringify(shown)}' has no tenantId`;
}
