import { normaliseConnectionUriDomain } from '../../config/connection-uri-domain.ts';
import { LIMITS } from '../../config/limits.ts';
import { Refusal } from '../refusal.ts';
import { trimBlanks } from '../normalise.ts';

/** A condition on an id in lower case, and the text of the 400 when it fails. */
interface Check {
  readonly fails: (id: string) => boolean;
  readonly text: (id: string) => string;
}

const STOP_WORDS: ReadonlySet<string> = new Set(['recipe', 'config', 'users', 'hello']);
const ALPHABET = /^[a-z0-9-]+$/;

/** What apps and tenants have in common; `between` stands after the first check (contract 04 section 1.4). */
const checksOf = (name: string, between: readonly Check[]): readonly Check[] => [
  { fails: (id) => id === '', text: () => `${name} should not be an empty String` },
  ...between,
  { fails: (id) => id.startsWith('appid-'), text: () => `${name} must not start with 'appid-'` },
  { fails: (id) => !ALPHABET.test(id), text: () => `${name} can only contain letters, numbers and hyphens` },
  { fails: (id) => id.length > LIMITS.tenantIdLength, text: () => `${name} must not be longer than ${LIMITS.tenantIdLength} characters` },
];
const APP_CHECKS = checksOf('appId', []);
const TENANT_CHECKS = checksOf('tenantId', [{ fails: (id) => STOP_WORDS.has(id), text: (id) => `Cannot use '${id}' as a tenantId` }]);

function checked(id: string, checks: readonly Check[]): string {
  const normalised = trimBlanks(id).toLowerCase();
  const failed = checks.find((check) => check.fails(normalised));
  if (failed) throw new Refusal('bad-input', { text: failed.text(normalised) });
  return normalised;
}

/** The stored form of an app's id. @throws Refusal */
export function checkAppId(id: string): string {
  return checked(id, APP_CHECKS);
}

/** The stored form of a tenant's id. @throws Refusal */
export function checkTenantId(id: string): string {
  return checked(id, TENANT_CHECKS);
}

/** The stored form of a connection URI domain, without port. @throws Refusal */
export function checkConnectionUriDomain(text: string): string {
  const trimmed = trimBlanks(text);
  if (trimmed === '') throw new Refusal('bad-input', { text: 'connectionUriDomain should not be an empty String' });
  const cud = normaliseConnectionUriDomain(trimmed);
  if (cud === undefined || cud.length > LIMITS.connectionUriDomainLength) {
    throw new Refusal('bad-input', { text: 'connectionUriDomain is invalid' });
  }
  return cud;
}
