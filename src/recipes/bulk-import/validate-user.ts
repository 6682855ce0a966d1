import { LIMITS } from '../../config/limits.ts';
import { isJsonObject, type JsonObject, type JsonTree, toJsonText } from '../../json/free-form.ts';
import type { ImportedDevice } from '../totp/import-device.ts';
import { trimBlanks } from '../normalise.ts';
import { FieldReader } from './field-reader.ts';
import type { ImportRules } from './import-rules.ts';
import type { ImportedMethod, ImportedRole, ImportedUser } from './imported-user.ts';
import { noTenantText, readMethod, textIn } from './validate-method.ts';

/** A user that can be imported, or all that is wrong with it, in the order of contract 05 section 6.3. */
export type ReadUser = { readonly user: ImportedUser } | { readonly errors: readonly string[] };

const LONGEST_EXTERNAL_ID = 128;
/** Where the reference's numbers end. */
const MAX_INT = 2 ** 31 - 1;
const ROLE_PLACE = ' for a user role.';
const DEVICE_PLACE = ' for a totp device.';

/** Reads and normalises one user. */
export function readUser(object: JsonObject, rules: ImportRules): ReadUser {
  const errors: string[] = [];
  const reader = new FieldReader(object, '.', errors);
  const externalId = reader.optional('externalUserId', 'string');
  const metadata = reader.optional('userMetadata', 'object');
  const userMetadata = metadata && toJsonText(rules.dropsNulls ? withoutNulls(metadata) : metadata);
  if (userMetadata !== undefined && Buffer.byteLength(userMetadata) > LIMITS.metadataBytes)
    errors.push(`userMetadata is too large. Max size is ${LIMITS.metadataBytes} bytes.`);
  if (metadata && Object.keys(metadata).length > LIMITS.metadataMembers)
    errors.push(`userMetadata has too many names. Max number is ${LIMITS.metadataMembers}.`);
  const userRoles = readRoles(object, rules, errors);
  const totpDevices = readDevices(reader, errors);
  const isDisabled = reader.optional('isDisabled', 'boolean');
  const loginMethods = readMethods(reader, rules, errors);
  for (const id of [externalId, ...loginMethods.map((method) => method.externalUserId)])
    if (id !== undefined) checkExternalId(id, rules, errors);
  checkTenants(userRoles ?? [], loginMethods, errors);
  checkSize(userRoles ?? [], loginMethods, errors);
  if (errors.length > 0) return { errors: firstErrors(errors, LIMITS.importErrors).map(clipped) };
  const externalUserId = externalId && trimBlanks(externalId);
  const externalUserIdInfo = textIn(object['externalUserIdInfo']);
  return { user: { externalUserId, externalUserIdInfo, userMetadata, userRoles, totpDevices, isDisabled, loginMethods } };
}

/** The first faults of a user, and a note if there are more. */
export function firstErrors(errors: readonly string[], most: number): readonly string[] {
  return errors.length > most ? [...errors.slice(0, most), 'There are more errors.'] : errors;
}

/** Messages repeat what was sent, which may be as long as a body: an answer must not be many times its question. */
function clipped(error: string): string {
  return error.length > LIMITS.importErrorChars ? `${error.slice(0, LIMITS.importErrorChars)}...` : error;
}

/** Reads the items of a list until the user has more faults than are told. */
function readEach<T>(items: readonly JsonObject[], errors: readonly string[], read: (item: JsonObject) => T | undefined): T[] {
  const found: T[] = [];
  for (const item of items) {
    if (errors.length > LIMITS.importErrors) break;
    const one = read(item);
    if (one) found.push(one);
  }
  return found;
}

/** Roles come as objects, or as plain names, which mean the public tenant (contract 00). */
function readRoles(object: JsonObject, rules: ImportRules, errors: string[]): ImportedRole[] | undefined {
  const given = object['userRoles'];
  const spelled = Array.isArray(given) ? { userRoles: given.map(spelledOut) } : object;
  const items = new FieldReader(spelled, '.', errors).optional('userRoles', 'array of object');
  return items && readEach(items, errors, (item) => readRole(new FieldReader(item, ROLE_PLACE, errors), rules, errors));
}

function readRole(reader: FieldReader, rules: ImportRules, errors: string[]): ImportedRole | undefined {
  const role = reader.required('role', 'string');
  const given = reader.required('tenantIds', 'array of string');
  const name = role === undefined ? undefined : trimBlanks(role);
  if (role !== undefined && role.length > LIMITS.roleNameLength)
    errors.push(`role ${role} is too long. Max length is ${LIMITS.roleNameLength}.`);
  if (name !== undefined && !rules.roles.has(name)) errors.push(`Role ${name} does not exist.`);
  const tenantIds = rules.tenants(given, ROLE_PLACE, errors);
  return name === undefined ? undefined : { role: name, tenantIds };
}

function spelledOut(item: JsonTree): JsonTree {
  return typeof item === 'string' && trimBlanks(item) !== '' ? { role: item, tenantIds: ['public'] } : item;
}

function readDevices(user: FieldReader, errors: string[]): ImportedDevice[] | undefined {
  const items = user.optional('totpDevices', 'array of object');
  if (items && items.length > LIMITS.totpDevices) {
    errors.push(`A user can have at most ${LIMITS.totpDevices} totpDevices.`);
    return undefined;
  }
  return items && readEach(items, errors, (item) => readDevice(new FieldReader(item, DEVICE_PLACE, errors), errors));
}

function readDevice(reader: FieldReader, errors: string[]): ImportedDevice | undefined {
  const secretKey = reader.required('secretKey', 'string');
  const period = reader.optional('period', 'integer') ?? 30;
  const skew = reader.optional('skew', 'integer') ?? 1;
  const name = reader.optional('deviceName', 'string');
  const most = LIMITS.totpTextLength;
  if (secretKey !== undefined && secretKey.length > most) errors.push(`TOTP secretKey ${secretKey} is too long. Max length is ${most}.`);
  if (period < 1) errors.push('period should be > 0 for a totp device.');
  if (period > MAX_INT) errors.push(`period should be <= ${MAX_INT} for a totp device.`);
  if (skew < 0) errors.push('skew should be >= 0 for a totp device.');
  if (skew > LIMITS.totpSkew) errors.push(`skew should be <= ${LIMITS.totpSkew} for a totp device.`);
  if (name !== undefined && name.length > most) errors.push(`TOTP deviceName ${name} is too long. Max length is ${most}.`);
  return secretKey === undefined ? undefined : { secretKey, period, skew, deviceName: name === undefined ? undefined : trimBlanks(name) };
}

function readMethods(user: FieldReader, rules: ImportRules, errors: string[]): ImportedMethod[] {
  const items = user.required('loginMethods', 'array of object');
  if (!items) return [];
  if (items.length === 0) errors.push('At least one loginMethod is required.');
  if (items.filter((item) => item['isPrimary'] === true).length > 1) errors.push('No two loginMethods can have isPrimary as true.');
  return readEach(items, errors, (item) => readMethod(item, rules, errors));
}

function checkExternalId(externalId: string, rules: ImportRules, errors: string[]): void {
  if (externalId.length > LONGEST_EXTERNAL_ID)
    errors.push(`externalUserId ${externalId} is too long. Max length is ${LONGEST_EXTERNAL_ID}.`);
  const id = trimBlanks(externalId);
  if (rules.externalIds.has(id)) errors.push(`externalUserId ${externalId} is not unique. It is already used by another user.`);
  rules.externalIds.add(id);
}

/** Roles are only given in tenants that the user is in, and every login method is in one. */
function checkTenants(userRoles: readonly ImportedRole[], methods: readonly ImportedMethod[], errors: string[]): void {
  const joined = new Set(['public', ...methods.flatMap((method) => method.tenantIds)]);
  for (const tenantId of userRoles.flatMap((role) => role.tenantIds))
    if (!joined.has(tenantId)) errors.push(`TenantId ${tenantId} for a user role does not exist in loginMethods.`);
  for (const method of methods) if (method.tenantIds.length === 0) errors.push(noTenantText(method));
}

/** One user is one transaction, which must stay a short one, and its passwords are hashed in one go. */
function checkSize(userRoles: readonly ImportedRole[], methods: readonly ImportedMethod[], errors: string[]): void {
  const most = LIMITS.importedKeys;
  // With a primary login method every account info is reserved in every tenant.
  const tenants = new Set(methods.flatMap((method) => method.tenantIds)).size;
  if (methods.length * tenants > most) errors.push(`loginMethods times their tenants must not be more than ${most}.`);
  if (userRoles.reduce((sum, role) => sum + role.tenantIds.length, 0) > most)
    errors.push(`userRoles times their tenants must not be more than ${most}.`);
  if (methods.filter((method) => method.plainTextPassword !== undefined).length > LIMITS.importedPasswords)
    errors.push(`A user can have at most ${LIMITS.importedPasswords} passwords in plain text.`);
}

/** A value without the members that are null, at any depth: how the queue keeps metadata (contract 05 section 6.5). */
function withoutNulls(tree: JsonTree): JsonTree {
  if (Array.isArray(tree)) return tree.map(withoutNulls);
  if (!isJsonObject(tree)) return tree;
  // Unlike assignments, `fromEntries` makes an own member of the name `__proto__` too.
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, withoutNulls(value)]),
  );
}
