import { Refusal } from '../../recipes/refusal.ts';
import type { Route } from '../../recipes/route.ts';
import { BUSY, refusalReply } from '../refusals.ts';
import type { TextReply } from '../reply.ts';
import { asJson, type Json, schemaOf } from './schemas.ts';

/** What is answered instead of an outcome, with which status, and to which rows. */
interface Refused {
  readonly status: string;
  /** Among the components. */
  readonly name: string;
  readonly description: string;
  readonly examples: Readonly<Record<string, TextReply>>;
  readonly isOf: (row: Route) => boolean;
}

const always = (): boolean => true;
const isOfContract = ({ needs }: Route): boolean => needs === 'cdi';
const RETRY_AFTER = {
  description: 'Seconds to wait. Sent where nothing of what was to be written is kept; without it, that is unknown.',
  schema: { type: 'integer', minimum: 1 },
};

/** The order is that of the statuses. */
const REFUSED: readonly Refused[] = [
  {
    status: '400',
    name: 'BadRequest',
    description: 'Not understood, or addressed to an app or tenant that is not there; the body says why.',
    examples: {
      notJson: refusalReply(new Refusal('invalid-json')),
      invalidField: refusalReply(new Refusal('field-invalid', { field: 'email' })),
      unknownTenant: refusalReply(new Refusal('tenant-not-found', { cud: '', appId: 'public', tenantId: 't1' })),
    },
    isOf: always,
  },
  {
    status: '401',
    name: 'Unauthorized',
    description: 'No API key, or a wrong one; from a browser, no session that goes on.',
    examples: { wrongKey: refusalReply(new Refusal('invalid-api-key')), signedOut: refusalReply(new Refusal('signed-out')) },
    isOf: ({ apiKey, browser }) => apiKey || browser === 'session',
  },
  {
    status: '403',
    name: 'Forbidden',
    description: 'Refused by an IP rule, by the scopes of the API key, or because of the tenant; the body says why.',
    examples: {
      scope: refusalReply(new Refusal('scope-missing', { scope: 'users' })),
      tenant: refusalReply(new Refusal('public-tenant-only')),
    },
    isOf: always,
  },
  {
    status: '404',
    name: 'NotFound',
    description: 'Not served to this version of the interface, or not under a tenant by it.',
    examples: { notFound: refusalReply(new Refusal('not-found')) },
    isOf: isOfContract,
  },
  {
    status: '408',
    name: 'BodyTooSlow',
    description: 'The body took too long to arrive.',
    examples: { tooSlow: refusalReply(new Refusal('body-too-slow')) },
    isOf: takesBody,
  },
  {
    status: '411',
    name: 'LengthRequired',
    description: 'The body comes in chunks, which uWebSockets.js does not take unless `http_chunked` is on.',
    examples: { noLength: refusalReply(new Refusal('length-missing')) },
    isOf: takesBody,
  },
  {
    status: '413',
    name: 'BodyTooLarge',
    description: 'The body is too large, or holds too many values.',
    examples: { tooLarge: refusalReply(new Refusal('body-too-large')) },
    isOf: takesBody,
  },
  {
    status: '431',
    name: 'HeadTooLarge',
    description: 'The request line and headers are too large.',
    examples: { tooLarge: refusalReply(new Refusal('head-too-large')) },
    isOf: always,
  },
  {
    status: '500',
    name: 'Fault',
    description: 'A fault of the core, which its log explains, or an option that the operator has to set.',
    examples: {},
    isOf: always,
  },
  {
    status: '503',
    name: 'Unavailable',
    description: 'Not now: the core is busy, or its store takes no writes.',
    examples: { busy: BUSY },
    isOf: always,
  },
];

/** Whether a caller may send a body. */
export function takesBody({ input, rawInput }: Pick<Route, 'input' | 'rawInput'>): boolean {
  const name = input ?? rawInput;
  return name !== undefined && schemaOf(name)['x-in'] !== 'query';
}

/** What the rows of an operation may answer instead of an outcome, as references by status. */
export function refusedBy(rows: readonly Route[]): Json {
  return Object.fromEntries(
    REFUSED.filter(({ isOf }) => rows.some(isOf)).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
  );
}

/** The same by statuses, for what is served beside the rows. */
export function refusedWith(...statuses: readonly string[]): Json {
  const known = REFUSED.filter(({ status }) => statuses.includes(status));
  return Object.fromEntries(known.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]));
}

/** The components that these refer to. */
export const REFUSED_RESPONSES: Json = Object.fromEntries(
  REFUSED.map(({ status, name, description, examples }) => [
    name,
    {
      description,
      ...(status === '503' && { headers: { 'Retry-After': RETRY_AFTER } }),
      content: { 'text/html': { schema: { type: 'string' }, ...textExamples(examples) } },
    },
  ]),
);

function textExamples(examples: Refused['examples']): Json {
  const named = Object.entries(examples).map(([name, { body }]) => [name, { value: body }]);
  return named.length === 0 ? {} : { examples: asJson(Object.fromEntries(named)) };
}
