import { LIMITS } from '../config/limits.ts';
import { LaneFullError } from '../lanes/lane-errors.ts';
import { Refusal, type RefusalName, type Refusals } from '../recipes/refusal.ts';
import { EndlessConflictError } from '../recipes/retry-while-stale.ts';
import { type LostOutcome, lostOutcome, UNKNOWN_OUTCOME_TEXT } from '../store/unavailable.ts';
import { type Reply, type TextReply, textReply } from './reply.ts';

interface Row<D> {
  readonly status: number;
  readonly text: (details: D) => string;
}

const always =
  (text: string): (() => string) =>
  () =>
    text;
const NOT_FOUND = 'AppId or tenantId not found => ';
const given = ({ text }: { readonly text: string }): string => text;

/** Each refusal's HTTP status and exact text (contract 01 sections 2.6 to 2.13); endpoints bring texts of their own. */
const REFUSALS: { readonly [N in RefusalName]: Row<Refusals[N]> } = {
  'invalid-json': { status: 400, text: always('Invalid Json Input') },
  'number-too-long': { status: 400, text: always(`A number in JSON input must not be longer than ${LIMITS.numberChars} characters`) },
  'field-invalid': { status: 400, text: ({ field }) => `Field name '${field}' is invalid in JSON input` },
  'field-empty': { status: 400, text: ({ field }) => `Field name '${field}' cannot be an empty String` },
  'query-missing': { status: 400, text: ({ field }) => `Field name '${field}' is missing in GET request` },
  'query-not-int': { status: 400, text: ({ field }) => `Field name '${field}' must be an int in the GET request` },
  'query-not-long': { status: 400, text: ({ field }) => `Field name '${field}' must be a long in the GET request` },
  'bad-input': { status: 400, text: given },
  forbidden: { status: 403, text: given },
  'not-now': { status: 503, text: given },
  'public-tenant-only': { status: 403, text: always('Only public tenantId can call this app specific API') },
  'tenant-not-found': {
    status: 400,
    text: ({ cud, appId, tenantId }) =>
      `${NOT_FOUND}Tenant with the following connectionURIDomain, appId and tenantId combination not found: (${cud}, ${appId}, ${tenantId})`,
  },
  'app-not-found': {
    status: 400,
    text: ({ cud, appId }) => `${NOT_FOUND}App with the following connectionURIDomain and appId combination not found: (${cud}, ${appId})`,
  },
  'path-invalid': { status: 400, text: always('Invalid path') },
  'query-malformed': { status: 400, text: always('Invalid query string') },
  'cud-disallowed': { status: 400, text: always('Connection URI domain is disallowed') },
  'invalid-api-key': { status: 401, text: always('Invalid API key') },
  'scope-missing': { status: 403, text: ({ scope }) => `This API key lacks the scope '${scope}'` },
  'signed-out': { status: 401, text: always('Sign in: there is no session, or it has ended') },
  'role-missing': { status: 403, text: ({ scope }) => `Your role does not include this: it needs the scope '${scope}'` },
  'ip-refused': { status: 403, text: always('Forbidden') },
  'version-invalid': { status: 400, text: always('cdi-version header is invalid') },
  'version-not-supported': { status: 400, text: ({ version }) => `cdi-version ${version} not supported` },
  'version-too-old': {
    status: 400,
    text: ({ version, minimum }) => `cdi-version ${version} is lower than the minimum allowed version ${minimum}`,
  },
  'method-not-supported': { status: 405, text: always('Method not supported') },
  'method-unknown': { status: 501, text: always('Method not implemented') },
  'length-missing': { status: 411, text: always('Content-Length is required') },
  'body-too-large': { status: 413, text: always('Request body is too large') },
  'head-too-large': { status: 431, text: always('Request header is too large') },
  'body-too-slow': { status: 408, text: always('Request body took too long') },
  'http-version': { status: 505, text: always('HTTP Version Not Supported') },
  'connection-lost': { status: 400, text: always('Connection lost') },
  'head-invalid': { status: 400, text: always('Invalid request header') },
  'not-found': { status: 404, text: always('Not found') },
  'fault-of-caller': { status: 500, text: given },
};

/** The answer to a refused request. */
export function refusalReply<N extends RefusalName>({ refusal, details }: Refusal<N>): TextReply {
  const row: Row<Refusals[N]> = REFUSALS[refusal];
  return textReply(row.status, row.text(details));
}

const retryAfter = (seconds: number): readonly [name: string, value: string][] => [['Retry-After', String(seconds)]];

/** The answer to what finds no room: others are being served. */
export const BUSY: TextReply = textReply(503, 'Server is busy, try again later', retryAfter(1));
const CONTESTED = textReply(
  503,
  'What this request works on is being changed all the time, nothing was changed, try again later',
  retryAfter(1),
);
const FAULT = textReply(500, 'Internal server error');

/** Where the store took no transaction in time. An unknown outcome invites no retry: the client has to look first. */
const STORE_UNAVAILABLE: { readonly [O in LostOutcome]: TextReply } = {
  'not-kept': textReply(503, 'The store takes no writes at present, what was to be written was not kept, try again later', retryAfter(5)),
  unknown: textReply(503, UNKNOWN_OUTCOME_TEXT),
};

/** The answer to whatever was thrown: a refusal, a passing state, or a fault, which is never shown. */
export function thrownReply(thrown: unknown): Reply {
  if (thrown instanceof Refusal) return refusalReply(thrown);
  if (thrown instanceof LaneFullError) return BUSY;
  if (thrown instanceof EndlessConflictError) return CONTESTED;
  const outcome = lostOutcome(thrown);
  return outcome === undefined ? FAULT : STORE_UNAVAILABLE[outcome];
}

/** Whether this is a fault of ours, for the log. A store that takes no writes is logged once, not by each request. */
export function isFault(thrown: unknown): boolean {
  if (thrown instanceof Refusal || thrown instanceof LaneFullError || thrown instanceof EndlessConflictError) return false;
  return lostOutcome(thrown) !== 'not-kept';
}
