import { LIMITS } from '../../config/limits.ts';
import type { AppNumber, Bounds, KeyIn, TenantNumber } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { trimBlanks } from '../normalise.ts';
import type { LoginMethodRecord, loginMethods } from '../accounts/records.ts';
import { bitsOf } from './recipe-filter.ts';

/** The tags one can search by, in the order in which they are told (contract 01 section 3.13). */
export const TAG_NAMES = ['email', 'phone', 'provider'] as const;

export type TagName = (typeof TAG_NAMES)[number];

/** What is searched for: a login method has the tag when one of the terms matches. */
export interface SearchTag {
  readonly name: TagName;
  /** In lower case, none of them empty, none the beginning of another. */
  readonly terms: readonly string[];
}

type RunBounds = Bounds<KeyIn<typeof loginMethods, 'byAccountInfo' | 'bySearch'>>;

/** A piece of an index of login methods. */
export interface Run {
  readonly index: 'byAccountInfo' | 'bySearch';
  readonly bounds: RunBounds;
}

type PlaceType = 'email' | 'phone' | 'domain' | 'provider';

interface TagRule {
  /** The recipes whose login methods can have it, as a sum of `RECIPE_BITS`. */
  readonly recipes: number;
  /** Where what the terms are compared with stands in the indexes, by its first component behind the tenant. */
  readonly places: readonly (readonly [index: Run['index'], type: PlaceType])[];
  readonly matches: (method: LoginMethodRecord, term: string) => boolean;
}

const domainOf = (email: string): string => (email.includes('@') ? email.slice(email.indexOf('@') + 1) : '');

/** Contract 01 section 9.3. */
const RULES: { readonly [N in TagName]: TagRule } = {
  email: {
    recipes: bitsOf('emailpassword', 'thirdparty', 'passwordless', 'webauthn'),
    places: [
      ['byAccountInfo', 'email'],
      ['bySearch', 'domain'],
    ],
    matches: ({ email }, term) => email !== null && (email.startsWith(term) || domainOf(email).startsWith(term)),
  },
  phone: {
    recipes: bitsOf('passwordless'),
    places: [['byAccountInfo', 'phone']],
    matches: ({ phoneNumber }, term) => phoneNumber?.startsWith(term) === true,
  },
  provider: {
    recipes: bitsOf('thirdparty'),
    places: [['bySearch', 'provider']],
    matches: ({ thirdPartyId, thirdPartyUserId }, term) => {
      if (thirdPartyId === null) return false;
      // Decision of contract 00: a term with `::` goes on into the user's id there.
      const account = term.includes('::') ? `${thirdPartyId}::${thirdPartyUserId}` : thirdPartyId;
      return account.toLowerCase().startsWith(term);
    },
  },
};

/** The tags of a request that have terms; refuses more terms than one search may have. */
export function readTags(given: { readonly [N in TagName]?: string | undefined }): SearchTag[] {
  const tags = TAG_NAMES.flatMap((name) => {
    const terms = termsOf(given[name] ?? '');
    return terms.length === 0 ? [] : [{ name, terms }];
  });
  if (tags.some(({ terms }) => terms.length > LIMITS.searchTerms)) {
    throw new Refusal('bad-input', { text: `max search terms allowed are ${LIMITS.searchTerms}` });
  }
  return tags;
}

function termsOf(text: string): string[] {
  const terms = new Set(text.split(';').map((term) => trimBlanks(term).toLowerCase()));
  terms.delete('');
  // What begins with another term is found by that one.
  return [...terms].filter((term) => ![...terms].some((other) => other !== term && term.startsWith(other)));
}

/** Whether a login method has every one of the tags. */
export function hasTags(method: LoginMethodRecord, tags: readonly SearchTag[]): boolean {
  return tags.every(({ name, terms }) => terms.some((term) => RULES[name].matches(method, term)));
}

/** The recipes whose login methods can have all the tags, as a sum of `RECIPE_BITS`; 0 if there are none. */
export function recipesWith(tags: readonly SearchTag[]): number {
  return tags.reduce((recipes, { name }) => recipes & RULES[name].recipes, RULES.email.recipes);
}

/** Runs with all of the tenant's login methods that have the tag, and some that do not: keys cut long texts short. */
export function runsOf({ app, tenant }: Tenant, { name, terms }: SearchTag): Run[] {
  return terms.flatMap((term) =>
    RULES[name].places.map(([index, type]) => ({ index, bounds: boundsOf([app, tenant, type], beginningOf(term)) })),
  );
}

/** So many characters stand in a key as they are, whatever bytes they take. */
const KEPT_IN_KEYS = 64;

/** So much of a text as can be looked for in keys. */
export const beginningOf = (term: string): string => [...term].slice(0, KEPT_IN_KEYS).join('');

/** The keys whose next component begins with a text. */
function boundsOf(prefix: readonly [app: AppNumber, tenant: TenantNumber, type: PlaceType], beginning: string): RunBounds {
  const end = endOfBeginning(beginning);
  return { prefix, from: [...prefix, beginning], ...(end !== undefined && { until: [...prefix, end] }) };
}

/** The first text after all that begin with this one: its last character is the next one. */
export function endOfBeginning(beginning: string): string | undefined {
  const characters = [...beginning];
  const last = characters.pop()?.codePointAt(0) ?? 0;
  return last >= LAST_CODE_POINT ? undefined : characters.join('') + String.fromCodePoint(last + 1);
}

const LAST_CODE_POINT = 0x10ffff;
