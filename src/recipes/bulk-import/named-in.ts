import { LIMITS } from '../../config/limits.ts';
import { isJsonObject, type JsonObject, type JsonTree } from '../../json/free-form.ts';
import { trimBlanks } from '../normalise.ts';
import { type AppNames, normaliseTenantId } from './import-rules.ts';

/** A user that names more different tenants, or roles, is too large to be imported (`LIMITS.importedKeys`, once for its login methods and once for its roles). */
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

/** The roles and tenants that a user names, whatever else may be wrong with it: what has to be looked up before it is checked. */
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
