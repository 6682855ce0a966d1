import { LIMITS } from '../../config/limits.ts';
import type { EnabledRecipes } from './tenant.ts';

/** The factor state of a tenant (contract 04 section 3). */
export interface FactorState {
  /** The legacy flags; from CDI 5.1 on they restrict nothing. */
  readonly flags: EnabledRecipes;
  /** null: not set, the SDK's own list counts; `[]`: set, none. */
  readonly firstFactors: readonly string[] | null;
  /** null or not empty. */
  readonly requiredSecondaryFactors: readonly string[] | null;
}

/** What a request asks of the factor state; an absent member leaves things as they are. */
export interface FactorRequest {
  readonly emailPasswordEnabled?: boolean | undefined;
  readonly thirdPartyEnabled?: boolean | undefined;
  readonly passwordlessEnabled?: boolean | undefined;
  readonly firstFactors?: readonly string[] | null | undefined;
  readonly requiredSecondaryFactors?: readonly string[] | null | undefined;
}

/** The rules by which a request is understood: v1 below CDI 5.0, v1 from 5.0 on, or the paths that end in `/v2`. */
export type FactorGeneration = '4' | '5' | 'v2';

type Recipe = keyof EnabledRecipes;
type Wishes = Partial<Record<Recipe, boolean | undefined>>;

const RECIPES: readonly Recipe[] = ['emailPassword', 'thirdParty', 'passwordless'];

/** The factors that belong to a recipe, in the order in which computed lists show them. */
const FACTORS_OF: Readonly<Record<Recipe, readonly string[]>> = {
  emailPassword: ['emailpassword'],
  thirdParty: ['thirdparty'],
  passwordless: ['otp-email', 'otp-phone', 'link-email', 'link-phone'],
};
const ALL_FACTORS = RECIPES.flatMap((recipe) => FACTORS_OF[recipe]);
const RECIPE_OF: ReadonlyMap<string, Recipe> = new Map(
  RECIPES.flatMap((recipe) => FACTORS_OF[recipe].map((factor): [string, Recipe] => [factor, recipe])),
);

const NONE: EnabledRecipes = { emailPassword: false, thirdParty: false, passwordless: false };
const ALL: EnabledRecipes = { emailPassword: true, thirdParty: true, passwordless: true };

/** A new app or connection URI domain: everything enabled. */
export const PUBLIC_BASE_STATE: FactorState = { flags: ALL, firstFactors: null, requiredSecondaryFactors: null };

const BASE_STATES: Readonly<Record<FactorGeneration, FactorState>> = {
  '4': { flags: NONE, firstFactors: [], requiredSecondaryFactors: null },
  '5': { flags: NONE, firstFactors: null, requiredSecondaryFactors: null },
  v2: { flags: ALL, firstFactors: [], requiredSecondaryFactors: null },
};

/** The state that a request on a tenant that does not exist yet starts from (contract 04 section 3.1). */
export function baseState(generation: FactorGeneration, isPublic: boolean): FactorState {
  return isPublic ? PUBLIC_BASE_STATE : BASE_STATES[generation];
}

/** Which recipes are enabled in the eyes of CDI below 5.0 (contract 04 section 3.3, en4). */
export function enabledBelow5({ flags, firstFactors }: FactorState): EnabledRecipes {
  return mapRecipes(
    (recipe) => flags[recipe] && (firstFactors === null || FACTORS_OF[recipe].some((factor) => firstFactors.includes(factor))),
  );
}

/** Which recipes are enabled in the eyes of CDI 5.0 (contract 04 section 3.3, en5). */
export function enabledFrom5({ flags, firstFactors }: FactorState): EnabledRecipes {
  return mapRecipes((recipe) => flags[recipe] && (firstFactors === null || firstFactors.length > 0));
}

/** The first factors that `/v2` shows; undefined: left out (contract 04 section 3.7). */
export function shownFirstFactors({ flags, firstFactors }: FactorState): readonly string[] | undefined {
  if (firstFactors !== null) return firstFactors;
  return RECIPES.every((recipe) => flags[recipe]) ? undefined : factorsOf(RECIPES.filter((recipe) => flags[recipe]));
}

/** The state after a request, by the rules of its generation. */
export function updateFactors(generation: FactorGeneration, state: FactorState, request: FactorRequest): FactorState {
  return UPDATES[generation](state, request);
}

const UPDATES: Readonly<Record<FactorGeneration, (state: FactorState, request: FactorRequest) => FactorState>> = {
  '4': updateBelow5,
  '5': updateFrom5,
  v2: updateV2,
};

/** Contract 04 section 3.4: booleans only, kept in the first factors. */
function updateBelow5(state: FactorState, request: FactorRequest): FactorState {
  const wishes = wishesOf(request);
  const enabled = enabledBelow5(state);
  const wanted = RECIPES.filter((recipe) => wishes[recipe] === true && !enabled[recipe]);
  const flags = mapRecipes((recipe) => state.flags[recipe] || wanted.includes(recipe));
  const unwanted = RECIPES.filter((recipe) => !flags[recipe] || wishes[recipe] === false);
  const listed = state.firstFactors === null ? (unwanted.length > 0 ? ALL_FACTORS : null) : union(state.firstFactors, factorsOf(wanted));
  return { ...state, flags, firstFactors: listed === null ? null : without(listed, factorsOf(unwanted)) };
}

/** Contract 04 section 3.5: of several rules for a field the first counts; all see the state before the request. */
function updateFrom5(stored: FactorState, request: FactorRequest): FactorState {
  const wishes = wishesOf(request);
  const enabledBefore = enabledFrom5(stored);
  const reopens = stored.firstFactors?.length === 0 && RECIPES.some((recipe) => wishes[recipe] === true && !enabledBefore[recipe]);
  const before = reopens ? { ...stored, flags: NONE, firstFactors: null } : stored;
  const dropped = factorsOf(RECIPES.filter((recipe) => wishes[recipe] === false));
  const firstFactors = request.firstFactors === undefined ? keptFirstFactors(before, request, wishes, dropped) : request.firstFactors;
  const requiredSecondaryFactors =
    request.requiredSecondaryFactors === undefined
      ? emptyToNull(minus(before.requiredSecondaryFactors, dropped))
      : request.requiredSecondaryFactors;
  const inUse = recipesOf([...(firstFactors ?? []), ...(requiredSecondaryFactors ?? [])]);
  const flags = mapRecipes((recipe) => inUse.has(recipe) || (wishes[recipe] ?? before.flags[recipe]));
  return { flags, firstFactors, requiredSecondaryFactors };
}

/** The first factors after a request of generation 5 that does not name them. */
function keptFirstFactors(before: FactorState, request: FactorRequest, wishes: Wishes, dropped: readonly string[]) {
  if (before.firstFactors !== null) return without(before.firstFactors, dropped);
  const enabled = enabledFrom5(before);
  // A secondary factor switches its recipe on; without a list that would make the recipe a first factor too.
  const sideEffect = [...recipesOf(request.requiredSecondaryFactors ?? [])].some((recipe) => !enabled[recipe] && wishes[recipe] !== true);
  if (!sideEffect) return null;
  const kept = factorsOf(RECIPES.filter((recipe) => wishes[recipe] ?? before.flags[recipe]));
  return kept.length < ALL_FACTORS.length ? kept : null;
}

/** Contract 04 section 3.6: lists only; the flags go to true and lose their meaning. */
function updateV2(state: FactorState, { firstFactors, requiredSecondaryFactors }: FactorRequest): FactorState {
  if (firstFactors === undefined && requiredSecondaryFactors === undefined) return state;
  return {
    flags: ALL,
    firstFactors: firstFactors === undefined ? (shownFirstFactors(state) ?? null) : firstFactors,
    requiredSecondaryFactors:
      requiredSecondaryFactors === undefined ? state.requiredSecondaryFactors : emptyToNull(requiredSecondaryFactors),
  };
}

/** The order in which generation 5 looks for disabled recipes' factors; passwordless factors have their own order. */
const CONFLICT_ORDER: readonly { readonly recipe: Recipe; readonly name: string; readonly factors: readonly string[] }[] = [
  { recipe: 'emailPassword', name: 'emailPassword', factors: ['emailpassword'] },
  { recipe: 'thirdParty', name: 'thirdParty', factors: ['thirdparty'] },
  { recipe: 'passwordless', name: 'passwordless', factors: ['otp-phone', 'otp-email', 'link-phone', 'link-email'] },
];
const LISTS = ['firstFactors', 'requiredSecondaryFactors'] as const;

/** Generation 5: text of the 400 where a request disables a recipe and lists its factor (contract 04 section 3.2). */
export function factorConflict(request: FactorRequest): string | undefined {
  const wishes = wishesOf(request);
  const disabled = CONFLICT_ORDER.filter(({ recipe }) => wishes[recipe] === false);
  for (const { name, factors } of disabled) {
    for (const list of LISTS) {
      const factor = factors.find((id) => request[list]?.includes(id));
      if (factor !== undefined) {
        return `Invalid core config: ${list} should not contain '${factor}' because ${name} is disabled for the tenant.`;
      }
    }
  }
  return undefined;
}

const FACTOR_ID = /^[0-9a-zA-Z_().-]+$/;

/** Text of the 400 for ill-formed or too large lists of factor ids in the result (contract 04 section 2.3 item 7). */
export function factorNameComplaint(state: FactorState): string | undefined {
  const strange = LISTS.find((name) => state[name]?.some((id) => !FACTOR_ID.test(id)));
  if (strange) return `${strange} should contain only 0-9,a-z,A-Z,_,.,- characters`;
  const large = LISTS.find((name) => isTooLarge(state[name] ?? []));
  return large && `${large} should contain at most ${LIMITS.factorIds} ids of at most ${LIMITS.factorIdLength} characters`;
}

function isTooLarge(list: readonly string[]): boolean {
  return list.length > LIMITS.factorIds || list.some((id) => id.length > LIMITS.factorIdLength);
}

function wishesOf(request: FactorRequest): Wishes {
  return {
    emailPassword: request.emailPasswordEnabled,
    thirdParty: request.thirdPartyEnabled,
    passwordless: request.passwordlessEnabled,
  };
}

function mapRecipes(isEnabled: (recipe: Recipe) => boolean): EnabledRecipes {
  return { emailPassword: isEnabled('emailPassword'), thirdParty: isEnabled('thirdParty'), passwordless: isEnabled('passwordless') };
}

const factorsOf = (recipes: readonly Recipe[]): readonly string[] => recipes.flatMap((recipe) => FACTORS_OF[recipe]);
const recipesOf = (factors: readonly string[]): ReadonlySet<Recipe> => new Set(factors.flatMap((factor) => RECIPE_OF.get(factor) ?? []));
const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])];
const without = (list: readonly string[], removed: readonly string[]): readonly string[] => list.filter((id) => !removed.includes(id));
const minus = (list: readonly string[] | null, removed: readonly string[]) => list && without(list, removed);
const emptyToNull = (list: readonly string[] | null) => (list?.length === 0 ? null : list);
