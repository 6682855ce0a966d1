import { LIMITS } from '../../config/limits.ts';
import { decodeBase64 } from '../../crypto/base64.ts';
import type { JsonObject } from '../../json/free-form.ts';
import { isPublicKey, type PortableCredential } from '../webauthn/transfer-credentials.ts';
import { FieldReader } from './field-reader.ts';
import type { ImportRules } from './import-rules.ts';

const PLACE = ' for a credential.';
/** Characters of the longest credential id of the standard, 1023 bytes in base64url. */
const LONGEST_ID = 1364;
const LONGEST_RELYING_PARTY = 256;
const MOST_COUNTER = 2 ** 32 - 1;
/** The model of authenticators that do not tell theirs. */
const UNTOLD_AAGUID = '00000000-0000-0000-0000-000000000000';

/** Reads `credentials` of a login method, as exports write them. Adds faults to `errors`. */
export function readCredentials(reader: FieldReader, rules: ImportRules, errors: string[]): readonly PortableCredential[] | undefined {
  const items = reader.required('credentials', 'array of object');
  if (items && items.length > LIMITS.credentialsOfMethod) {
    errors.push(`A loginMethod can have at most ${LIMITS.credentialsOfMethod} credentials.`);
    return undefined;
  }
  return items?.flatMap((item) => (errors.length > LIMITS.importErrors ? [] : (readCredential(item, rules, errors) ?? [])));
}

function readCredential(object: JsonObject, rules: ImportRules, errors: string[]): PortableCredential | undefined {
  const reader = new FieldReader(object, PLACE, errors);
  const id = reader.required('id', 'string');
  const relyingPartyId = reader.required('relyingPartyId', 'string');
  const publicKey = reader.required('publicKey', 'string');
  const counter = reader.optional('counter', 'integer') ?? 0;
  const transports = reader.optional('transports', 'array of string') ?? [];
  const aaguid = reader.optional('aaguid', 'string') ?? UNTOLD_AAGUID;
  const createdAt = reader.optional('createdAt', 'integer') ?? rules.now;
  const updatedAt = reader.optional('updatedAt', 'integer') ?? createdAt;
  const isBackupEligible = object['isBackupEligible'] === null ? null : (reader.optional('isBackupEligible', 'boolean') ?? null);
  const isBackedUp = object['isBackedUp'] === null ? null : (reader.optional('isBackedUp', 'boolean') ?? null);
  if (id !== undefined && (id.length > LONGEST_ID || 'error' in decodeBase64(id, 'url')))
    errors.push(`id should be base64url of at most ${LONGEST_ID} characters${PLACE}`);
  if (relyingPartyId !== undefined && relyingPartyId.length > LONGEST_RELYING_PARTY)
    errors.push(`relyingPartyId is too long${PLACE} Max length is ${LONGEST_RELYING_PARTY}.`);
  if (publicKey !== undefined && !isPublicKey(publicKey)) errors.push(`publicKey should be a COSE key in base64url${PLACE}`);
  if (counter < 0 || counter > MOST_COUNTER) errors.push(`counter should be between 0 and ${MOST_COUNTER}${PLACE}`);
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(aaguid)) errors.push(`aaguid should be a UUID in lower case${PLACE}`);
  if (createdAt < 0 || updatedAt < createdAt) errors.push(`createdAt should not be after updatedAt${PLACE}`);
  if (id === undefined || relyingPartyId === undefined || publicKey === undefined) return undefined;
  return { id, relyingPartyId, publicKey, counter, transports, aaguid, createdAt, updatedAt, isBackupEligible, isBackedUp };
}
