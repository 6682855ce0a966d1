import { versionsWith } from '../../cdi/versions-with.ts';
import { ENDPOINTS, type EndpointFacts } from '../../generated/endpoints.ts';
import type { Route } from '../../recipes/route.ts';
import type { ScopeName } from '../../recipes/scope.ts';
import { mergedAnswer } from './merged-answer.ts';
import { type Example, Examples, nameOf } from './examples.ts';
import { refusedBy } from './refused.ts';
import { asJson, type Json, referenceTo, requiredFields, schemaOf, shown } from './schemas.ts';

/** The media type of a body, by where an input is read; inputs of other places are shown as queries. */
const BODY_TYPES: Readonly<Record<string, string>> = { body: 'application/json', form: 'application/x-www-form-urlencoded' };

const OF_TENANT = 'Of a tenant: the path may follow `/appid-{appId}`, `/{tenantId}` or both.';
const OF_APP = 'Of an app: the path may follow `/appid-{appId}`.';
/** What may precede the path (contract 01 section 2.3). */
const PREFIXES: Readonly<Record<ScopeName, string>> = {
  tenant: OF_TENANT,
  root: OF_TENANT,
  verb: OF_TENANT,
  app: `${OF_APP} Under a tenant the answer is 403 from CDI 5.0 on.`,
  'app-by-itself': `${OF_APP} Under a tenant the answer is 403 from CDI 5.0 on.`,
  'app-existing-first': `${OF_APP} Under a tenant the answer is 403 from CDI 5.0 on.`,
  'app-any-tenant': `${OF_APP} A tenant behind it is not looked at.`,
  'app-public-from-5.6': `${OF_APP} Under a tenant the answer is 403 from CDI 5.6 on.`,
  none: 'The same for every app and tenant.',
  base: 'The same for every app and tenant.',
};

/** A row with what the list of endpoints says of it. */
interface Listed {
  readonly row: Route;
  readonly facts: EndpointFacts;
  /** The input, where it has one. */
  readonly input: Json | undefined;
  /** The media type of its body. */
  readonly bodyType: string | undefined;
}

/** The media type of the body that a row is shown with; undefined where all of its input stands in the query. */
export function bodyTypeOf({ input, rawInput }: Pick<Route, 'input' | 'rawInput'>): string | undefined {
  const name = input ?? rawInput;
  return name === undefined ? undefined : BODY_TYPES[String(schemaOf(name)['x-in'])];
}

/** What the list of endpoints says of a row. */
export function factsOf(row: Route): EndpointFacts {
  const facts = ENDPOINTS[nameOf(row)];
  if (!facts) throw new Error(`${nameOf(row)} has no line in schemas/endpoints.json`);
  return facts;
}

/**
 * The name of an operation in generated clients: `POST /recipe/user/role` is `postRecipeUserRole`. It is made of
 * method and path alone, so it stays the same as long as these do, and no two have the same.
 */
export function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method.toLowerCase() + (words.length === 0 ? 'Root' : words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''));
}

/** The operation of a method and path. @param rows one, or those that `rid` tells apart */
export function operationOf(rows: readonly [Route, ...Route[]], all: readonly Example[]): Json {
  const [row] = rows;
  const listed = rows.map(withFacts);
  const examples = new Examples(all, rows.map(nameOf));
  return {
    operationId: operationId(row.method, row.path),
    summary: rows.length === 1 ? row.summary : `${row.summary}; and the same of other recipes, by \`rid\``,
    description: descriptionOf(listed),
    tags: [...new Set(listed.map(({ facts }) => facts.recipe))],
    ...(rows.every(({ isDeprecated }) => isDeprecated) && { deprecated: true }),
    parameters: parametersOf(listed, examples),
    ...requestBodyOf(listed, examples),
    responses: { ...answersOf(rows, examples), ...refusedBy(rows) },
    security: securityOf(row),
  };
}

function withFacts(row: Route): Listed {
  if (row.summary === '') throw new Error(`${nameOf(row)} has no summary`);
  const name = row.input ?? row.rawInput;
  const input = name === undefined ? undefined : schemaOf(name);
  return { row, facts: factsOf(row), input, bodyType: bodyTypeOf(row) };
}

/** How an operation is called apart from its input: since when, under which path, with which key. */
function descriptionOf(listed: readonly Listed[]): string {
  const sentences = listed.flatMap(({ row, facts: { since, aliasOf } }) => [
    ...(row.rid === undefined ? [] : [`With \`rid: ${row.rid}\`: ${row.summary}.`]),
    ...(aliasOf === undefined ? [] : [`The same as \`${aliasOf}\`.`]),
    ...(since === undefined ? [] : [`Since CDI ${since}.`]),
    ...(row.only === undefined ? [] : [`Served to callers of ${versionsWith(row.only)}.`]),
  ]);
  const [row] = listed.map((one) => one.row);
  const told = [...new Set(listed.flatMap((one) => one.row.tells ?? []))].map((kind) => `\`${kind}\``);
  const trail = told.length === 0 ? [] : [`May leave in the audit trail: ${told.join(', ')}.`];
  return [...sentences, ...(row ? [PREFIXES[row.scope], keyNote(row)] : []), ...trail].join(' ');
}

function keyNote({ apiKey, needs, opensTo }: Route): string {
  if (!apiKey) return 'Needs no API key.';
  const scopes = [needs, ...(opensTo ? [opensTo] : [])].map((scope) => `\`${scope}\``).join(' or ');
  return `The API key must be good for ${scopes}${needs === 'cdi' ? '' : ', and be one of the base app'}.`;
}

function parametersOf(listed: readonly Listed[], examples: Examples): Json[] {
  const rids = listed.flatMap(({ row }) => row.rid ?? []);
  const isOfContract = listed.some(({ row }) => row.needs === 'cdi');
  return [
    ...(isOfContract ? [{ $ref: '#/components/parameters/cdiVersion' }] : []),
    ...(rids.length > 0 ? [ridParameter(rids)] : []),
    ...queryParameters(listed, examples),
  ];
}

function ridParameter(rids: readonly string[]): Json {
  return {
    name: 'rid',
    in: 'header',
    required: false,
    description: 'The recipe that is meant.',
    schema: { type: 'string', enum: rids, default: rids[0] },
  };
}

/** The parameters of all variants; one that not all of them ask for is optional, and says whose it is. */
function queryParameters(listed: readonly Listed[], examples: Examples): Json[] {
  // With methods where the body is optional, few clients can send one: they use the query.
  const inQuery = listed.flatMap(({ row, input, bodyType }) => (input && bodyType === undefined ? [{ rid: row.rid, input }] : []));
  const names = new Set(inQuery.flatMap(({ input }) => Object.keys(asJson(input['properties']))));
  return [...names].map((name) => {
    const readers = inQuery.filter(({ input }) => name in asJson(input['properties']));
    const [first] = readers;
    const { description, deprecated, ...schema } = asJson(shown(asJson(first?.input['properties'])[name]));
    const whose = readers.length < listed.length ? [`Read with \`rid\` ${readers.map(({ rid }) => `\`${rid}\``).join(' or ')}.`] : [];
    const note = [...(typeof description === 'string' ? [description] : []), ...whose].join(' ');
    return {
      name,
      in: 'query',
      required: listed.every((one) => requiredFields(one.input ?? {}).includes(name)),
      ...(note !== '' && { description: note }),
      ...(deprecated === true && { deprecated }),
      schema,
      ...examples.parameter(name, schema['type']),
      // Lists are one parameter with commas.
      ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    };
  });
}

/** A body may fit several variants, of which `rid` alone chooses: so they are `anyOf`. */
function requestBodyOf(listed: readonly Listed[], examples: Examples): Json {
  const bodies = listed.flatMap(({ row, bodyType }) => (bodyType === undefined ? [] : [{ name: row.input ?? row.rawInput, bodyType }]));
  const [first] = bodies;
  if (first === undefined) return {};
  const variants = bodies.flatMap(({ name }) => (name === undefined ? [] : [referenceTo(name)]));
  const schema = variants.length === 1 ? variants[0] : { anyOf: variants };
  return { requestBody: { required: true, content: { [first.bodyType]: { schema, ...examples.requests() } } } };
}

function answersOf(rows: readonly [Route, ...Route[]], examples: Examples): Json {
  const [{ redirect, response }] = rows;
  const name = `${response}.response`;
  const answer = schemaOf(name);
  const isText = answer['type'] === 'string';
  const isNeverEmpty = answer['maxLength'] !== 0;
  const mediaType = isText ? String(answer['contentMediaType'] ?? 'text/html') : 'application/json';
  const schema =
    rows.length === 1 ? referenceTo(name) : mergedAnswer(rows.map((row) => asJson(shown(schemaOf(`${row.response}.response`)))));
  const description = isText ? 'Done.' : 'An outcome, good or bad: `status` says which.';
  const location = { description: 'Where the browser goes.', schema: { type: 'string' }, ...examples.location() };
  return {
    ...(isNeverEmpty && { '200': { description, content: { [mediaType]: { schema, ...examples.answers(200) } } } }),
    ...(redirect && { [redirect]: { description: 'Sends the browser elsewhere.', headers: { Location: location } } }),
  };
}

/** A key in one of two headers, or none where none are configured; for browsers their cookie. */
function securityOf({ apiKey, needs, opensTo, takesAccessToken, browser }: Route): readonly Json[] {
  if (browser) return browser === 'session' ? [{ operator: [] }] : [];
  if (!apiKey) return takesAccessToken ? [{ accessToken: [] }] : [];
  const scopes = [needs, ...(opensTo ? [opensTo] : [])];
  return [...scopes.map((scope) => ({ apiKey: [scope] })), ...scopes.map((scope) => ({ bearer: [scope] })), {}];
}
