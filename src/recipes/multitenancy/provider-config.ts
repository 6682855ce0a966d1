import { isJsonObject, type JsonObject, type JsonTree } from '../../json/free-form.ts';
import { Refusal } from '../refusal.ts';
import { trimBlanks } from '../normalise.ts';

/** A third-party provider's configuration in the shape in which it is kept and shown (contract 04 section 1.3). */
export type ProviderConfig = JsonObject & { thirdPartyId: string; clients: JsonObject[] };

/** Reads one member; `undefined` means that it is of the wrong type. */
type Read = (value: JsonTree) => JsonTree | undefined;

const text: Read = (value) => (typeof value === 'string' ? value : undefined);
const flag: Read = (value) => (typeof value === 'boolean' ? value : undefined);
const anyObject: Read = (value) => (isJsonObject(value) ? value : undefined);
const objectWithoutNulls: Read = (value) => (isJsonObject(value) ? withoutNulls(value) : undefined);
/** A null among them is a matter of validation, not of type. */
const texts: Read = (value) =>
  Array.isArray(value) && value.every((item) => item === null || typeof item === 'string') ? value : undefined;

const FIELD_PATHS = { userId: text, email: text, emailVerified: text };
const USER_INFO_MAP = {
  fromIdTokenPayload: (value: JsonTree) => (isJsonObject(value) ? members(value, FIELD_PATHS) : undefined),
  fromUserInfoAPI: (value: JsonTree) => (isJsonObject(value) ? members(value, FIELD_PATHS) : undefined),
};
const CLIENT = {
  clientType: text,
  clientId: text,
  clientSecret: text,
  scope: texts,
  forcePKCE: flag,
  additionalConfig: objectWithoutNulls,
};
const PROVIDER: Readonly<Record<string, Read>> = {
  name: text,
  clients: (value) => (Array.isArray(value) && value.every(isJsonObject) ? value.map(clientOf).toSorted(byClientType) : undefined),
  authorizationEndpoint: text,
  authorizationEndpointQueryParams: anyObject,
  tokenEndpoint: text,
  tokenEndpointBodyParams: anyObject,
  userInfoEndpoint: text,
  userInfoEndpointQueryParams: anyObject,
  userInfoEndpointHeaders: anyObject,
  jwksURI: text,
  oidcDiscoveryEndpoint: text,
  requireEmail: flag,
  userInfoMap: (value) => (isJsonObject(value) ? members(value, USER_INFO_MAP) : undefined),
};

/** The id that a configuration names. @throws Refusal where it has none, or one that is no text */
export function providerIdOf(config: JsonObject): string {
  const sent = config['thirdPartyId'];
  // As every text, it may come as a list of one (contract 01 section 2.11).
  const id = Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;
  if (typeof id !== 'string') throw new Refusal('field-invalid', { field: 'thirdPartyId' });
  return trimBlanks(id);
}

/** A configuration as kept: known members without `null`s, and defaults for those always shown. @throws Refusal */
export function readProviderConfig(config: JsonObject): ProviderConfig {
  const read = members(config, PROVIDER);
  const userInfoMap = isJsonObject(read['userInfoMap']) ? read['userInfoMap'] : {};
  return {
    thirdPartyId: providerIdOf(config),
    ...read,
    clients: clientsOf(read),
    userInfoMap: { fromIdTokenPayload: {}, fromUserInfoAPI: {}, ...userInfoMap },
  };
}

/** Whether a kept value is a configuration as `readProviderConfig` makes them. */
export function isProviderConfig(tree: JsonTree): tree is ProviderConfig {
  return isJsonObject(tree) && typeof tree['thirdPartyId'] === 'string' && Array.isArray(tree['clients']);
}

/** Kept configurations as they were read. */
export function clientsOf(config: JsonObject): JsonObject[] {
  const clients = config['clients'];
  return Array.isArray(clients) ? clients.filter(isJsonObject) : [];
}

function clientOf(client: JsonObject): JsonObject {
  const { clientType, ...read } = members(client, CLIENT);
  return clientType === undefined || clientType === '' ? read : { clientType, ...read };
}

/** Clients are a set; they are kept in one order, so that they come back in one order. */
function byClientType(a: JsonObject, b: JsonObject): number {
  const [left, right] = [String(a['clientType'] ?? ''), String(b['clientType'] ?? '')];
  return left < right ? -1 : Number(left > right);
}

function members(source: JsonObject, table: Readonly<Record<string, Read>>): JsonObject {
  const result: JsonObject = {};
  for (const [name, read] of Object.entries(table)) {
    const value = Object.hasOwn(source, name) ? source[name] : undefined;
    if (value === undefined || value === null) continue;
    const known = read(value);
    if (known === undefined) throw new Refusal('field-invalid', { field: name });
    result[name] = known;
  }
  return result;
}

function withoutNulls(tree: JsonTree): JsonTree {
  if (Array.isArray(tree)) return tree.map(withoutNulls);
  if (!isJsonObject(tree)) return tree;
  const kept = Object.entries(tree).filter(([, value]) => value !== null);
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutNulls(value)]));
}
