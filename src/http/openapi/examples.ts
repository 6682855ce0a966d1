import type { Route } from '../../recipes/route.ts';
import { asJson, type Json } from './schemas.ts';

/** One call of a running core and its answer, as `schemas/examples.json` keeps it. */
export interface Example {
  /** Method and path of the row, and `rid` where it was sent. */
  readonly of: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly status: number;
  /** JSON, or text. */
  readonly answer: unknown;
  /** Where a redirect led. */
  readonly location?: string;
}

/** How a row is called in lists: method, path and, where several recipes share these, `rid`. */
export const nameOf = ({ method, path, rid }: Pick<Route, 'method' | 'path' | 'rid'>): string =>
  rid === undefined ? `${method} ${path}` : `${method} ${path} ${rid}`;

/** The examples of the rows of one operation. */
export class Examples {
  readonly #chosen: readonly Example[];

  constructor(all: readonly Example[], names: readonly string[]) {
    this.#chosen = all.filter((example) => names.includes(example.of));
  }

  /** Of a query parameter, with the type of its schema. */
  parameter(name: string, type: unknown): Json {
    const text = this.#chosen.find(({ query }) => query?.[name] !== undefined)?.query?.[name];
    if (text === undefined) return {};
    if (type === 'array') return { example: text.split(',') };
    return { example: type === 'string' ? text : JSON.parse(text) };
  }

  /** Of the body of requests. */
  requests(): Json {
    return this.#named(
      this.#chosen.filter(({ body }) => body !== undefined),
      ({ body }) => body,
    );
  }

  /** Of the body of answers with a status. */
  answers(status: number): Json {
    return this.#named(
      this.#chosen.filter((example) => example.status === status),
      ({ answer }) => answer,
    );
  }

  /** Of where redirects lead. */
  location(): Json {
    const found = this.#chosen.find(({ location }) => location !== undefined);
    return found ? { example: found.location } : {};
  }

  #named(examples: readonly Example[], valueOf: (example: Example) => unknown): Json {
    if (examples.length === 0) return {};
    const named = examples.map((example) => [example.of.split(' ')[2] ?? 'recorded', { value: valueOf(example) }]);
    return { examples: asJson(Object.fromEntries(named)) };
  }
}
