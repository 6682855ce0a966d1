import { LIMITS } from '../../config/limits.ts';
import { isJsonObject, type JsonObject, type JsonTree } from '../../json/free-form.ts';
import { trimBlanks } from '../normalise.ts';
import { type AppNames, normaliseTenantId } from './import-rules.ts';

/** More names make a user too large to import: `LIMITS.importedKeys` for its login methods, and again for its roles. */
const MOST_NAMES = 2 * LIMITS.importedKeys;

const itemsOf = (value: JsonTree | undefined): readonly JsonTree[] => (Array.isArray(value) ? value : []);
const objectsOf = (value: JsonTree | undefined): readonly JsonObject[] => itemsOf(value).filter(isJsonObject);

/** The first different texts among these values, in the form in which they are kept. */
function namesAmong(values: Iterable<JsonTree | undefined>, normalise: (text: string) => string): string[] {
  const names = new Set<string>();
  for (const value of values) {
    if (names.size >= MOST_NAMES) break;
    if (typeof value === 'string') names.add(normalise(value));
  }
  return [...names];
}

/** The roles and tenants that a user names, valid or not: what has to be looked up before the user is checked. */
export function namedIn(user: JsonObject): Pick<AppNames, 'roles' | 'tenantIds'> {
  const roles = itemsOf(user['userRoles']).map((item) => (isJsonObject(item) ? item['role'] : item));
  const inTenants = [...objectsOf(user['userRoles']), ...objectsOf(user['loginMethods'])];
  return {
    roles: namesAmong(roles, trimBlanks),
    tenantIds: namesAmong(
      inTenants.flatMap((item) => itemsOf(item['tenantIds'])),
      normaliseTenantId,
    ),
  };
}
