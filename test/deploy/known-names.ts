import { environmentName, OPTION_NAMES } from '../../src/config/options.ts';

/** Options, and what libraries read: the password of the database. */
const KNOWN: ReadonlySet<string | undefined> = new Set([...OPTION_NAMES.map(environmentName), 'PGPASSWORD']);

/** Those of these names of variables that no core would know. */
export function unknownNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => !KNOWN.has(name));
}
