import { type Example, nameOf } from '../../src/http/openapi/examples.ts';
import { bodyTypeOf, factsOf } from '../../src/http/openapi/operation.ts';
import type { Route } from '../../src/recipes/route.ts';
import { ROUTES } from '../../src/recipes/routes.ts';
import {
  type AnswerBody,
  type InProcessAnswer,
  type InProcessCallOptions,
  type InProcessCore,
  openInProcessCore,
} from '../in-process-core.ts';
import { make, SCENARIOS } from '../rounds/scenarios.ts';
import type { Scenario } from '../rounds/scenario.ts';
import { Scrubber } from './scrubbed.ts';

/** One call and its answer, as they went over the wire. */
interface Heard {
  readonly path: string;
  readonly body: object | undefined;
  readonly options: InProcessCallOptions;
  readonly answer: InProcessAnswer;
}

/** Recipes that would have a core call other systems; these are played in this process, where nothing is sent. */
const CALLING_OTHERS: ReadonlySet<string> = new Set(['webhooks']);

/**
 * Plays a call of every endpoint against a core, as the budgets of reads do, and answers what it said: the first of each row that went well, or
 * else the first.
 */
export async function recordExamples(url: string): Promise<readonly Example[]> {
  let last: Heard | undefined;
  const hearing =
    (ask: InProcessCore['call']): InProcessCore['call'] =>
    async (method, path, body, options = {}) => {
      const answer = await ask(method, path, body, options);
      last = { path, body, options, answer };
      return answer;
    };
  const within = await openInProcessCore('5.6');
  const clock = {
    get now(): number {
      return Date.now();
    },
  };
  const running: InProcessCore = { ...within, clock, call: hearing((...call) => ask(url, ...call)) };
  const inProcess: InProcessCore = { ...within, call: hearing(within.call) };
  const examples = new Map<string, Example>();
  const goodRows = new Set<Route>();
  for (const scenario of SCENARIOS) {
    const isOfOthers = CALLING_OTHERS.has(factsOf(rowOf(scenario)).recipe);
    const core = isOfOthers ? inProcess : running;
    await scenario.play(core, await make(core));
    if (!last) continue;
    const row = rowOf(scenario, last.options.rid);
    const kept = examples.get(nameOf(row));
    if (!kept || (isGood(last.answer) && !goodRows.has(row))) examples.set(nameOf(row), exampleOf(row, last));
    if (isGood(last.answer)) goodRows.add(row);
  }
  return ROUTES.flatMap((row) => examples.get(nameOf(row)) ?? []);
}

function rowOf({ endpoint }: Scenario, rid = 'emailpassword'): Route {
  const [method, path] = endpoint.split(' ');
  const row = ROUTES.find((one) => one.method === method && one.path === path && (one.rid ?? rid) === rid);
  if (!row) throw new Error(`no row for ${endpoint}`);
  return row;
}

const isGood = ({ status, body, location }: InProcessAnswer): boolean =>
  location !== undefined || (status === 200 && (body['status'] ?? 'OK') === 'OK');

function exampleOf(row: Route, { path, body, answer }: Heard): Example {
  const scrubber = new Scrubber(Date.now());
  const { status, body: answered, location } = answer;
  const isBodyShown = body !== undefined && bodyTypeOf(row) !== undefined;
  // An input that is shown as a query is one, whatever the call made of it.
  const inBody = isBodyShown ? [] : Object.entries(body ?? {});
  const query = [...new URLSearchParams(path.split('?')[1] ?? ''), ...inBody].map(([name, value]) => [name, String(value)]);
  return {
    of: nameOf(row),
    ...(query.length > 0 && { query: scrubber.scrub(Object.fromEntries(query)) as Record<string, string> }),
    ...(isBodyShown && { body: scrubber.scrub(body) as AnswerBody }),
    status,
    answer: scrubber.scrub('text' in answered ? answered['text'] : answered),
    ...(location !== undefined && { location: String(scrubber.scrub(location)) }),
  };
}

async function ask(
  url: string,
  method: string,
  path: string,
  body: object | undefined,
  options: InProcessCallOptions = {},
): Promise<InProcessAnswer> {
  const { rid, authorization, isForm = false } = options;
  const fields = Object.entries(body ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  const sent = isForm ? new URLSearchParams(fields).toString() : JSON.stringify(body);
  const answer = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      'cdi-version': '5.6',
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      ...(rid !== undefined && { rid }),
      ...(authorization !== undefined && { authorization }),
      ...options.headers,
    },
    ...(body !== undefined && { body: sent }),
  });
  const text = await answer.text();
  const location = answer.headers.get('location');
  const [cookie] = answer.headers.getSetCookie();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: answer.status,
    body: isJson ? JSON.parse(text) : { text },
    ...(location !== null && { location }),
    ...(cookie !== undefined && { cookie }),
  };
}
