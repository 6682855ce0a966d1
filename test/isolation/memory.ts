/** A code as creating it answered. */
export interface KnownCode {
  readonly preAuthSessionId?: string;
  readonly deviceId?: string;
  readonly linkCode?: string;
  readonly userInputCode?: string;
}

/** What an actor learned from its answers and may use later, in the order in which it learned it. */
export interface Memory {
  /** An id that no user has; another one for each tenant of an app, since data about ids belongs to apps. */
  readonly nobody: string;
  /** Ids that have TOTP devices from the beginning, whose attempts count in the whole app. */
  readonly holders: readonly string[];
  readonly users: string[];
  readonly handles: string[];
  readonly accessTokens: string[];
  readonly refreshTokens: string[];
  /** Of password resets and email verifications. */
  readonly tokens: string[];
  readonly codes: KnownCode[];
  readonly secrets: string[];
  readonly dashboardSessions: string[];
}

/** The ids of a tenant that have devices. */
export const holdersOf = (tenantId: string): readonly string[] => [0, 1].map((at) => `holder${at} of ${tenantId}`);

/** Nothing yet. */
export function emptyMemory(tenantId: string): Memory {
  return {
    nobody: `nobody of ${tenantId}`,
    holders: holdersOf(tenantId),
    users: [],
    handles: [],
    accessTokens: [],
    refreshTokens: [],
    tokens: [],
    codes: [],
    secrets: [],
    dashboardSessions: [],
  };
}

type Body = { readonly [name: string]: unknown };

const tokenIn = (value: unknown): unknown => (typeof value === 'object' && value !== null ? (value as Body)['token'] : undefined);

/** Remembers what an answer brought that is new. */
export function learn(memory: Memory, body: Body): void {
  const add = (list: string[], value: unknown): void => {
    if (typeof value === 'string' && !list.includes(value)) list.push(value);
  };
  add(memory.users, body['recipeUserId']);
  add(memory.handles, (body['session'] as Body | undefined)?.['handle']);
  add(memory.accessTokens, tokenIn(body['accessToken']));
  add(memory.refreshTokens, tokenIn(body['refreshToken']));
  add(memory.tokens, body['token']);
  add(memory.secrets, body['secret']);
  add(memory.dashboardSessions, body['sessionId']);
  if (typeof body['linkCode'] === 'string') memory.codes.push(body as KnownCode);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const OPAQUE = /^[\w+/=.-]{20,}$/;
/** What is random although it can look like a word: a code is short, and one secret of eight hundred has letters only. */
const RANDOM_MEMBERS = new Set(['userInputCode', 'secret']);
/** Texts of that length which mean something. */
const WORD = /^[A-Z_]+$|^[a-z_]+$/;

/** Gives whatever was drawn at random a name by the order in which an actor sees it, so that two runs can be compared. */
export class Names {
  readonly #names = new Map<string, string>();

  /** The answer with names instead of random values; lists in the order of their texts, since some come in the order of random ids. */
  normalise(value: unknown, member = ''): unknown {
    if (typeof value === 'string') return this.#text(value, member);
    if (Array.isArray(value)) {
      return value.map((item) => this.normalise(item, member)).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.normalise(item, name)]));
  }

  #text(text: string, member: string): string {
    const isRandom = RANDOM_MEMBERS.has(member) || (OPAQUE.test(text) && !WORD.test(text));
    return isRandom ? this.#name(text) : text.replaceAll(UUID, (id) => this.#name(id));
  }

  #name(value: string): string {
    const name = this.#names.get(value) ?? `#${this.#names.size + 1}`;
    this.#names.set(value, name);
    return name;
  }
}
