import { Refusal } from '../refusal.ts';
import { type LoginRecipe, RECIPE_BITS } from '../accounts/records.ts';

/** Recipes that `includeRecipeIds` may name although they have no users (contract 01 section 3.7). */
const WITHOUT_USERS: ReadonlySet<string> = new Set([
  'session',
  'emailverification',
  'jwt',
  'usermetadata',
  'userroles',
  'useridmapping',
  'dashboard',
  'totp',
  'multitenancy',
  'accountlinking',
  'mfa',
  'oauth',
]);

const BITS: ReadonlyMap<string, number> = new Map(Object.entries(RECIPE_BITS));
const ALL_BITS = [...BITS.values()].reduce((all, bit) => all | bit, 0);

/** Every set of recipes a user can have, as `UserRecord` keeps it. */
const ALL_SETS: readonly number[] = Array.from({ length: ALL_BITS }, (_, at) => at + 1);

interface Filtered {
  readonly includeRecipeIds?: readonly string[] | undefined;
}

/** Refuses ids of recipes that do not exist; letters count in either case. */
export function checkRecipeIds({ includeRecipeIds = [] }: Filtered): void {
  for (const id of includeRecipeIds) {
    const name = id.toLowerCase();
    if (!BITS.has(name) && !WITHOUT_USERS.has(name)) throw new Refusal('bad-input', { text: `Unknown recipe ID: ${id}` });
  }
}

/** The recipes that `includeRecipeIds` asks for, as a sum of `RECIPE_BITS`; `undefined` for whatever recipe. */
export function askedRecipes({ includeRecipeIds = [] }: Filtered): number | undefined {
  if (includeRecipeIds.length === 0) return undefined;
  return includeRecipeIds.reduce((asked, id) => asked | (BITS.get(id.toLowerCase()) ?? 0), 0);
}

/** Every set of recipes that has one of the asked ones. */
export function setsWith(asked: number | undefined): readonly number[] {
  return asked === undefined ? ALL_SETS : ALL_SETS.filter((set) => (set & asked) !== 0);
}

/** One recipe, or several, as a sum of `RECIPE_BITS`. */
export const bitsOf = (...recipes: readonly LoginRecipe[]): number => recipes.reduce((bits, recipe) => bits | RECIPE_BITS[recipe], 0);
