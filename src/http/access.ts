import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { chooseVersion } from '../cdi/choose-version.ts';
import type { Traits } from '../cdi/traits.ts';
import type { Config } from '../config/config.ts';
import { IpRule } from '../config/ip-rule.ts';
import { type Actor, COMMAND_LINE, CONFIGURED_KEY, NO_KEY } from '../recipes/audit/event.ts';
import type { Browser } from '../recipes/operators/browser.ts';
import type { SignedIn } from '../recipes/operators/sessions.ts';
import { Refusal } from '../recipes/refusal.ts';
import { type ApiKey, type ApiScope, keyWithDigest } from '../recipes/tenants/api-keys.ts';

/** What one configuration asks of callers, prepared once. */
interface AccessRules {
  readonly keyDigests: readonly Buffer[];
  readonly secretDigest: Buffer | undefined;
  readonly allow: IpRule | undefined;
  readonly deny: IpRule | undefined;
}

/** The headers that say who calls. */
export interface Credentials {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
}

// The tenant directory keeps, and bounds, effective configurations; compiled rules live as long as these.
const prepared = new WeakMap<Config, AccessRules>();

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function rulesOf(config: Config): AccessRules {
  const known = prepared.get(config);
  if (known) return known;
  const { api_keys: keys, supertokens_saas_secret: secret, ip_allow_regex: allow, ip_deny_regex: deny } = config;
  const rules = {
    keyDigests: (keys ?? []).map(digestOf),
    secretDigest: secret === null ? undefined : digestOf(secret),
    allow: allow === null ? undefined : new IpRule(allow),
    deny: deny === null ? undefined : new IpRule(deny),
  };
  prepared.set(config, rules);
  return rules;
}

/** Refuses peers by a tenant's IP rules (contract 01 section 2.8). @param caller asked only where there are rules */
export function checkPeer(config: Config, caller: { peer(): string }): void {
  const { allow, deny } = rulesOf(config);
  if (!allow && !deny) return;
  const address = peerText(caller.peer());
  if (deny?.test(address)) throw new Refusal('ip-refused');
  if (allow && !allow.test(address)) throw new Refusal('ip-refused');
}

/** A peer as the IP rules expect it: IPv4 dotted, also if mapped into IPv6; IPv6 in eight groups, no leading zeros. */
export function peerText(address: string): string {
  const text = address.split('%')[0] ?? '';
  if (!text.includes(':')) return text;
  const [head = '', tail] = withHexTail(text).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return groups.map((group) => group.toString(16)).join(':');
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** An address from a header, as `peerText` writes it; other text stays as it is, and an empty one is no address. */
export function addressText(value: string): string | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  return isIP(text) === 0 ? text : peerText(text);
}

/** Writes a dotted ending (`::ffff:127.0.0.1`) as two groups. */
function withHexTail(text: string): string {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (!dotted) return text;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.slice(1).map(Number);
  return `${text.slice(0, dotted.index)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** Whose keys open an endpoint: the configuration of an app's public tenant, and the keys kept beside it. */
export interface KeyHolder {
  readonly appConfig: Config;
  readonly apiKeys: readonly ApiKey[];
}

/** What is known of a caller by its key or its cookie. */
export interface Caller {
  readonly scopes: readonly ApiScope[];
  /** True hides protected options: a saas secret is set and was not shown (contract 01 section 2.7). */
  readonly protectedMode: boolean;
  readonly actor: Actor;
  /** The kept key; undefined for those of the configuration. */
  readonly key: ApiKey | undefined;
  /** The operator whose cookie it is; such a caller has no key. */
  readonly signedIn?: SignedIn;
  readonly browser?: Browser;
}

const EVERYTHING: readonly ApiScope[] = ['all'];
const NOTHING: readonly ApiScope[] = [];
const ANYBODY: Caller = { scopes: EVERYTHING, protectedMode: false, actor: NO_KEY, key: undefined };
/** Who may do everything. */
const OPERATOR: Caller = { ...ANYBODY, actor: CONFIGURED_KEY };
const PROTECTED_OPERATOR: Caller = { ...OPERATOR, protectedMode: true };
/** Who can write the data folder may do everything, too. */
export const FOLDER_OWNER: Caller = { ...ANYBODY, actor: COMMAND_LINE };
/** Who shows nothing. */
export const STRANGER: Caller = { ...ANYBODY, scopes: NOTHING };
const PROTECTED_STRANGER: Caller = { ...STRANGER, protectedMode: true };

/**
 * Checks the API key (contract 01 section 2.7). Keys of the configuration are good for everything.
 * @param holder undefined for an unknown app, whose callers learn that it is unknown
 * @param isAsked false on the endpoints that need no key
 * @param now ms since the epoch
 */
export function checkApiKey(
  holder: KeyHolder | undefined,
  base: Config,
  credentials: Credentials,
  isAsked: boolean,
  now: () => number,
): Caller {
  const { keyDigests, secretDigest } = rulesOf(holder?.appConfig ?? base);
  const kept = holder?.apiKeys ?? [];
  if (keyDigests.length === 0 && !secretDigest && kept.length === 0) return ANYBODY;
  const sent = sentKey(credentials);
  const digest = sent === undefined ? undefined : digestOf(sent);
  const isSecret = digest !== undefined && secretDigest !== undefined && timingSafeEqual(digest, secretDigest);
  // Every key is compared, so the time taken tells nothing about which one matched.
  const matches = digest === undefined ? 0 : keyDigests.filter((key) => timingSafeEqual(key, digest)).length;
  const key = digest === undefined || kept.length === 0 ? undefined : keyWithDigest(kept, digest, now());
  const isProtected = secretDigest !== undefined && !isSecret;
  if (isSecret || matches > 0) return isProtected ? PROTECTED_OPERATOR : OPERATOR;
  if (key) return { scopes: key.scopes, protectedMode: isProtected, actor: { type: 'api-key', name: key.name }, key };
  if (isAsked && holder) throw new Refusal('invalid-api-key');
  return isProtected ? PROTECTED_STRANGER : STRANGER;
}

/** Whether the configuration names any key at all. */
export function hasKeys({ appConfig }: KeyHolder): boolean {
  const { keyDigests, secretDigest } = rulesOf(appConfig);
  return keyDigests.length > 0 || secretDigest !== undefined;
}

function sentKey({ apiKey, authorization }: Credentials): string | undefined {
  if (apiKey !== undefined) return apiKey.trim();
  return authorization?.replace(/^\s*bearer /i, '').trim();
}

/** The request's version as traits (contract 01 section 2.9). @param config of the public tenant of a known app */
export function checkVersion(
  config: Config | undefined,
  header: string | undefined,
): { readonly traits: Traits; readonly supported: boolean } {
  const minimum = config?.supertokens_min_cdi_version ?? null;
  const choice = chooseVersion(header, minimum, config?.supertokens_max_cdi_version ?? null);
  if (choice.outcome === 'chosen') return choice;
  const version = header ?? '';
  if (choice.outcome === 'malformed') throw new Refusal('version-invalid');
  if (choice.outcome === 'too-new') throw new Refusal('version-not-supported', { version });
  throw new Refusal('version-too-old', { version, minimum: minimum ?? '' });
}
