import { SCHEMAS } from '../../src/generated/schemas.ts';
import { ROUTES } from '../../src/recipes/routes.ts';
import type { InProcessCore } from '../in-process-core.ts';

interface Property {
  readonly type?: string | readonly string[];
  readonly 'x-coerce'?: string;
}

/** A free-form member: where it is sent, and the types that its schema names; none where the verb itself looks what it is. */
export interface FreeFormMember {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly input: string;
  readonly field: string;
  readonly types: readonly string[];
}

const propertiesOf = (input: string): Readonly<Record<string, Property>> =>
  (SCHEMAS[input]?.['properties'] ?? {}) as Readonly<Record<string, Property>>;
const isFreeForm = (property: Property): boolean => property['x-coerce']?.startsWith('free-form') === true;

/** Of every endpoint. */
export const FREE_FORM: readonly FreeFormMember[] = ROUTES.flatMap(({ method, path, input, rawInput }) => {
  const schema = input ?? rawInput ?? '';
  const found = Object.entries(propertiesOf(schema)).filter(([, property]) => isFreeForm(property));
  return found.map(([field, { type = [] }]) => ({ name: `${schema}.${field}`, method, path, input: schema, field, types: [type].flat() }));
});

/** What other members of an input hold, by name, where the text `x` would not do. */
export type Given = Readonly<Record<string, unknown>>;

const GIVEN: Given = {
  algorithm: 'RS256',
  connectionUriDomain: 'free-form.example.com',
  tenantId: 't1',
  appId: 'a1',
  newEmail: 'x@example.com',
};
const BY_TYPE: Given = { string: 'x', boolean: false, integer: 100, array: [], object: {} };

/** Starts the session that the endpoints of sessions are asked about. */
export async function startSession(core: InProcessCore): Promise<Given> {
  const body = { userId: 'x', enableAntiCsrf: false, userDataInJWT: {}, userDataInDatabase: {} };
  const made = (await core.call('POST', '/recipe/session', body)).body as {
    readonly session: { readonly handle: string };
    readonly accessToken: { readonly token: string };
  };
  return { ...GIVEN, sessionHandle: made.session.handle, accessToken: made.accessToken.token };
}

/** A body in which the member has a value, and all others what they must have. */
export function bodyWith({ input, field }: FreeFormMember, value: string, given: Given): string {
  const required = (SCHEMAS[input]?.['required'] ?? []) as readonly string[];
  const others = Object.entries(propertiesOf(input)).filter(([name]) => name !== field && (required.includes(name) || name in given));
  const members = others.map(([name, { type = 'string' }]) => [name, given[name] ?? BY_TYPE[[type].flat()[0] ?? '']] as const);
  return `{${[...members.map(([name, other]) => `${JSON.stringify(name)}:${JSON.stringify(other)}`), `"${field}":${value}`].join(',')}}`;
}
