import type { TraitName } from '../cdi/traits.ts';
import type { AnswerName, Commands } from '../generated/commands.ts';
import type { JsonValue } from '../json/free-form.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';
import type { EventKind } from './audit/kinds.ts';
import type { Silence } from './audit/silences.ts';
import type { Context } from './context.ts';
import type { ScopeName } from './scope.ts';
import type { StatisticName } from './statistics/counts.ts';
import type { TallySubject, TallySubjectOf } from './statistics/tallies.ts';
import type { ApiScope } from './tenants/api-keys.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** An answer with HTTP 200, or a redirect; everything else is a refusal or a fault. */
export type Answer =
  | { readonly json: { readonly [name: string]: JsonValue }; readonly cacheControl?: string; readonly cookie?: string }
  | { readonly text: string; readonly cacheControl?: string }
  /** A whole XML document. */
  | { readonly xml: string }
  /** Sends the browser to a URL; characters that a header cannot hold are percent-encoded. */
  | { readonly redirect: 302 | 307; readonly location: string }
  /** Pieces of the JSON text of a list of any length (`list-answer.ts`), each made in about a millisecond. */
  | { readonly jsonPieces: AsyncIterable<string> }
  /** Bytes that are sent while they are made; `return` is always called in the end. */
  | { readonly bytes: AsyncIterator<Uint8Array, undefined>; readonly contentType: string }
  /** UTF-8 bytes of a finished JSON answer with line feed, for paths where building an object costs too much. */
  | { readonly jsonBytes: Uint8Array };

/** One line of the product's only list of endpoints: the router, OpenAPI, metric labels and coverage test read it. */
export interface Route {
  readonly method: Method;
  /** Without base path, app and tenant segments; lower case. */
  readonly path: string;
  readonly scope: ScopeName;
  /** Only for `/recipe/user`: the recipe that the `rid` header must name. */
  readonly rid?: 'emailpassword' | 'thirdparty' | 'passwordless';
  /** False for the few endpoints that need no API key (contract 01 section 2.7). */
  readonly apiKey: boolean;
  /** True where the header `Authorization` holds an access token that the core gave out, and not an API key. */
  readonly takesAccessToken?: true;
  /**
   * For the browsers of operators, who bring a cookie instead of a key: `session` for whoever is signed in, with any
   * role; `open` for those too who are not.
   */
  readonly browser?: 'open' | 'session';
  /** What the key must be good for: `cdi` on the interface, another scope on endpoints of ours. */
  readonly needs: ApiScope;
  /** A scope that is enough too. */
  readonly opensTo?: ApiScope;
  /** False where a well-formed but unsupported `cdi-version` is accepted. */
  readonly versionChecked: boolean;
  /** True where most of the product's traffic goes: the same bodies again and again, answered without a promise. */
  readonly isHot?: boolean;
  /** Answers 404 `Not found` where the request's version lacks this trait. */
  readonly only?: TraitName;
  /** Name of the input schema under `schemas/`; none when nothing is read. */
  readonly input?: keyof Commands;
  /** Schema of a body of up to `LIMITS.uploadBytes` that the verb reads, off the event loop, from `context.rawBody`. */
  readonly rawInput?: keyof Commands;
  /** The status of its redirects, for the rows that send the browser elsewhere. */
  readonly redirect?: 302 | 307;
  /** Name of the schema of the answer, checked in tests and shown in OpenAPI. */
  readonly response: AnswerName;
  /** One line for OpenAPI. */
  readonly summary: string;
  /** The events that a call may leave in the audit trail; every row that changes something names some, or a reason. */
  readonly tells?: readonly EventKind[];
  /** Why an ordinary call leaves none. */
  readonly silence?: Silence;
  /** The contract advises against it. */
  readonly isDeprecated?: true;
  /** Checks beyond field types that the contract places before the scope guard; throws refusals. */
  readonly early?: (command: never, context: Context) => void;
  readonly handle: (context: Context, command: never) => MaybePromise<Answer>;
}

type RouteDefinition<N extends keyof Commands | undefined, R> = Omit<Route, Derived> & {
  readonly apiKey?: boolean;
  readonly needs?: ApiScope;
  readonly versionChecked?: boolean;
  readonly input?: N;
  readonly early?: (command: CommandOf<N>, context: Context) => void;
  readonly run: (context: Context, command: CommandOf<N>) => MaybePromise<R>;
  readonly view: (result: R, context: Context) => Answer;
  /** What a result counts as in the statistics of the day. */
  readonly counts?: (result: R) => StatisticName | undefined;
  /** Whose outcomes its results are in the metrics. */
  readonly tallies?: TallySubjectOf<NoInfer<R>>;
} & (N extends AnswerName ? { readonly response?: AnswerName } : { readonly response: AnswerName });

type Derived = 'input' | 'response' | 'early' | 'handle' | 'apiKey' | 'needs' | 'versionChecked';

type CommandOf<N> = N extends keyof Commands ? Commands[N] : undefined;

/** Ties schemas, a verb and a view together. Where no schema of the answer is named, it has the input's name. */
export function route<const N extends keyof Commands | undefined, R>(definition: RouteDefinition<N, R>): Route {
  const { run, view: plainView, counts, tallies, ...row } = definition;
  const view = tallies ? tallying(tallies, plainView) : plainView;
  const show = counts ? counting(counts, view) : view;
  return {
    response: row.input,
    apiKey: true,
    needs: 'cdi',
    versionChecked: true,
    ...row,
    handle: (context: Context, command: CommandOf<N>): MaybePromise<Answer> => {
      const result = run(context, command);
      return result instanceof Promise ? result.then((value) => show(value, context)) : show(result, context);
    },
  } as Route;
}

type View<R> = (result: R, context: Context) => Answer;

function counting<R>(counts: (result: R) => StatisticName | undefined, view: View<R>): View<R> {
  return (result, context) => {
    const name = counts(result);
    if (name !== undefined) context.statistics.add(context.tenant.app, name, context.now());
    return view(result, context);
  };
}

function tallying<R>(subject: TallySubject, view: View<R>): View<R> {
  return (result, context) => {
    // What has a subject has a status: see `TallySubjectOf`.
    const { status } = result as { readonly status: string };
    context.statistics.tally(subject, status);
    return view(result, context);
  };
}
