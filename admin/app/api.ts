import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { TEXTS } from '../texts.ts';
import type { paths } from '../generated/api.ts';
import { csrfToken, endSession, noteAnswer } from './session.ts';
import { reached, unreached } from '../ui/connection.ts';
import { pathOf, type Place, place } from './place.ts';

/** What goes wrong with a call, in words for people: those of the core where it has some. */
export class Refused extends Error {
  /** The HTTP status, or 200 where the core answered with an outcome that is not OK. */
  readonly httpStatus: number;
  /** As `UNKNOWN_USER_ID_ERROR`; empty where the core refused the request as a whole. */
  readonly status: string;

  constructor(httpStatus: number, status: string, text: string) {
    super(text);
    this.httpStatus = httpStatus;
    this.status = status;
  }
}

/** Where the core is: from `/admin/`, behind whatever path a proxy or the option base_path put before it. */
const BASE = new URL('..', location.href.split('#')[0]).href.replace(/\/$/, '');

/** An address of the core as the browser opens it. @param path begins with a slash */
export const urlOf = (path: string, at: Place = place.value): string => BASE + pathOf(at) + path;

const onEveryCall: Middleware = {
  onRequest: ({ request }) => {
    if (request.method !== 'GET') request.headers.set('x-csrf-token', csrfToken());
    return request;
  },
  onResponse: async ({ response }) => {
    reached();
    if (response.ok) return;
    const text = (await response.text()).trim();
    if (response.status === 401) endSession();
    throw new Refused(response.status, '', text || `${response.status} ${response.statusText}`);
  },
  onError: ({ error }) => {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    unreached();
    return new Refused(0, '', TEXTS.unreachable);
  },
};

const clients = new Map<string, Client<paths>>();

/** The interface of the core at a place, made from openapi.json: every call is checked against it by the compiler. */
export function core(at: Place = place.value): Client<paths> {
  const key = JSON.stringify([at.connectionUriDomain, at.appId, at.tenantId]);
  const known = clients.get(key);
  if (known) return known;
  const domain = at.connectionUriDomain;
  const client = createClient<paths>({
    baseUrl: BASE + pathOf(at),
    ...(domain !== '' && { headers: { 'x-connection-uri-domain': domain } }),
    // Lists in queries stand in one parameter, with commas.
    querySerializer: { array: { style: 'form', explode: false } },
  });
  client.use(onEveryCall);
  clients.set(key, client);
  return client;
}

interface Outcome {
  readonly status: string;
}

/** The answer of a call, whatever its outcome. @throws Refused */
export async function answered<T extends object>(call: Promise<{ readonly data?: T }>): Promise<T> {
  const { data } = await call;
  if (data === undefined) throw new Refused(0, '', TEXTS.unreachable);
  noteAnswer(data);
  return data;
}

/** The answer of a call that went well. @throws Refused with the words of the core, or ours for its status */
export async function ok<T extends Outcome>(call: Promise<{ readonly data?: T }>): Promise<Extract<T, { readonly status: 'OK' }>> {
  const answer = await answered(call);
  if (isOk(answer)) return answer;
  throw new Refused(200, answer.status, wordsFor(answer));
}

const isOk = <T extends Outcome>(answer: T): answer is Extract<T, { readonly status: 'OK' }> => answer.status === 'OK';

/** What an outcome means, for people. */
export function wordsFor(answer: Outcome & { readonly message?: string; readonly reason?: string }): string {
  return answer.message ?? answer.reason ?? TEXTS.statuses[answer.status] ?? answer.status;
}
