import { escaped, sentence } from './page-text.ts';
import { asJson, type Json } from './schemas.ts';

const REFERENCE = /^#\/components\/schemas\/(.+)$/;
/** Keywords that narrow a value, with what they say. */
const LIMITS: Readonly<Record<string, (value: unknown) => string>> = {
  minLength: (value) => `at least ${String(value)} characters`,
  maxLength: (value) => `at most ${String(value)} characters`,
  minItems: (value) => `at least ${String(value)} items`,
  maxItems: (value) => `at most ${String(value)} items`,
  minimum: (value) => `at least ${String(value)}`,
  maximum: (value) => `at most ${String(value)}`,
  exclusiveMinimum: (value) => `more than ${String(value)}`,
  minProperties: (value) => `at least ${String(value)} members`,
  pattern: (value) => `matches <code>${escaped(value)}</code>`,
  format: (value) => escaped(value),
  default: (value) => `without it ${literal(value)}`,
};

/** The name of the schema that a reference names. */
export function referredName({ $ref }: Json): string | undefined {
  return typeof $ref === 'string' ? REFERENCE.exec($ref)?.[1] : undefined;
}

/** A schema as HTML: what kind of value it is, and below that its members, items or alternatives. */
export function schemaHtml(given: unknown): string {
  const schema = asJson(given);
  const name = referredName(schema);
  if (name !== undefined) return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`;
  return `${kindOf(schema)}${membersOf(schema)}`;
}

/** What kind of value a schema describes, in one line. */
function kindOf(schema: Json): string {
  const { type, enum: values, items, oneOf, anyOf, description } = schema;
  const limits = Object.entries(LIMITS).flatMap(([keyword, say]) => (keyword in schema ? [say(schema[keyword])] : []));
  const kind = [
    ...('const' in schema ? [literal(schema['const'])] : []),
    ...(Array.isArray(values) ? [values.map(literal).join(' or ')] : []),
    ...(type === undefined ? [] : [typeOf(type, items)]),
    ...(Array.isArray(oneOf ?? anyOf) ? ['one of these'] : []),
  ];
  const text = [kind.join(', ') || 'anything', ...limits].join('; ');
  return `<span class="kind">${text}</span>${description === undefined ? '' : ` ${sentence(description)}`}`;
}

function typeOf(type: unknown, items: unknown): string {
  const types = [type].flat().map((one) => (one === 'array' && items !== undefined ? `array of ${itemsOf(asJson(items))}` : escaped(one)));
  return types.join(' or ');
}

function itemsOf(items: Json): string {
  const name = referredName(items);
  return name === undefined ? kindOf(items) : schemaHtml(items);
}

const literal = (value: unknown): string => `<code>${escaped(JSON.stringify(value))}</code>`;

function membersOf({ properties, required, items, oneOf, anyOf, additionalProperties }: Json): string {
  if (properties !== undefined) return fieldsOf(asJson(properties), new Set(Array.isArray(required) ? required : []));
  if (items !== undefined && referredName(asJson(items)) === undefined) return membersOf(asJson(items));
  const alternatives = oneOf ?? anyOf;
  if (Array.isArray(alternatives)) return `<ul class="alternatives">${alternatives.map(alternativeHtml).join('')}</ul>`;
  const others = asJson(additionalProperties);
  return Object.keys(others).length === 0 ? '' : `<ul class="fields"><li><code>…</code> ${schemaHtml(others)}</li></ul>`;
}

function alternativeHtml(schema: unknown): string {
  return `<li>${schemaHtml(schema)}</li>`;
}

function fieldsOf(properties: Json, required: ReadonlySet<unknown>): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const marks = [...(required.has(name) ? ['required'] : []), ...(asJson(schema)['deprecated'] === true ? ['deprecated'] : [])];
    const shown = marks.map((mark) => ` <em class="${mark}">${mark}</em>`).join('');
    return `<li><code class="name">${escaped(name)}</code>${shown} ${schemaHtml(schema)}</li>`;
  });
  return fields.length === 0 ? '' : `<ul class="fields">${fields.join('')}</ul>`;
}
