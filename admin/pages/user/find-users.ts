import { core, ok } from '../../app/api.ts';
import { TEXTS } from '../../texts.ts';
import type { Page } from '../../ui/use-pages.ts';
import type { User } from './user-answer.ts';

const T = TEXTS.users;
const LIMIT = 50;
/** Of each kind where a text can be several: rows come quicker the fewer there are. */
const LIMIT_OF_SEVERAL = 20;

/** What users are searched by, with how the core is asked: of the first four the beginning is enough. */
const QUERIES = {
  email: (email: string) => ({ email }),
  phone: (phone: string) => ({ phone }),
  provider: (provider: string) => ({ provider }),
  id: (id: string) => ({ id }),
  passkey: (credentialId: string) => ({ credentialId }),
  metadata: (text: string) => {
    const [name = '', ...value] = text.split('=');
    return { metadataKey: name.trim(), metadataValue: value.join('=').trim() };
  },
};

type Kind = keyof typeof QUERIES;

/** What may be chosen; the first one is whatever the text looks like. */
export const SEARCH_KINDS: readonly (readonly [kind: Kind | '', text: string])[] = [
  ['', T.anyKind],
  ['email', TEXTS.email],
  ['phone', T.phone],
  ['provider', T.provider],
  ['id', T.id],
  ['passkey', T.passkey],
  ['metadata', T.metadata],
];

/** What users may be filtered by. */
export const RECIPES: readonly (readonly [recipe: string, text: string])[] = [['', T.anyMethod], ...Object.entries(TEXTS.recipes)];

const isRecipe = (text: string): text is keyof typeof TEXTS.recipes => Object.hasOwn(TEXTS.recipes, text);

/** What a text can be the beginning of, the likeliest first. */
function kindsOf(text: string, by: string): readonly (Kind | undefined)[] {
  const chosen = SEARCH_KINDS.find(([kind]) => kind === by)?.[0];
  if (text === '') return [undefined];
  // Whoever still types the name has nothing to ask yet.
  if (chosen === 'metadata' && !text.includes('=')) return [];
  if (chosen) return [chosen];
  if (text.includes('@')) return ['email'];
  if (text.includes('::')) return ['provider'];
  if (text.startsWith('+')) return ['phone'];
  return ['email', 'id', 'provider'];
}

interface Question {
  readonly text: string;
  /** A kind of `SEARCH_KINDS`. */
  readonly by: string;
  /** Empty or one of `RECIPES`. */
  readonly recipe: string;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/** A page of users; where a text can be several things, of each of them. @throws Refused */
export async function findUsers({ text, by, recipe, token, signal }: Question): Promise<Page<User>> {
  const kinds = kindsOf(text, by);
  // Each kind has pages of its own: the token tells where each goes on that has not ended.
  const places: readonly (string | null | undefined)[] = token === undefined ? kinds.map(() => undefined) : JSON.parse(token);
  const pages = await Promise.all(
    kinds.map(async (kind, n) => {
      const paginationToken = places[n];
      if (paginationToken === null) return { users: [], next: null };
      const query = {
        limit: kinds.length > 1 ? LIMIT_OF_SEVERAL : LIMIT,
        ...(kind && QUERIES[kind](text)),
        ...(isRecipe(recipe) && { recipe }),
        ...(paginationToken !== undefined && { paginationToken }),
      };
      const answer = await ok(core().GET('/manage/v1/users', { params: { query }, signal }));
      return { users: answer.users, next: answer.nextPaginationToken ?? null };
    }),
  );
  const byId = new Map(pages.flatMap(({ users }) => users.map((user) => [user.id, user] as const)));
  const nexts = pages.map(({ next }) => next);
  return { rows: [...byId.values()], next: nexts.every((next) => next === null) ? undefined : JSON.stringify(nexts) };
}
