import type { TraitName } from '../../cdi/traits.ts';
import { isNewestWith, versionsWith } from '../../cdi/versions-with.ts';
import { COMPONENT_NAMES, COMPONENTS } from '../../generated/components.ts';

/** A JSON value that is an object. */
export type Json = { readonly [name: string]: unknown };

const REFERENCE = '#/components/schemas/';
/** Keywords whose members have names of their own instead of being keywords. */
const NAMED = new Set(['properties', 'patternProperties']);

/** The component of a schema file: `session/verify-session`, or `session/verify-session.response` for its answer. */
export function schemaOf(name: string): Json {
  return asJson(COMPONENTS[componentOf(name)]);
}

/** A reference to it. */
export function referenceTo(name: string): Json {
  return { $ref: REFERENCE + componentOf(name) };
}

function componentOf(name: string): string {
  const component = COMPONENT_NAMES[name];
  if (component === undefined) throw new Error(`schemas/${name}.json is missing`);
  return component;
}

/** The components that a part of the document refers to, also by way of others, in the order of their names. */
export function componentsIn(part: unknown): Json {
  const found = new Map<string, unknown>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    if (typeof value !== 'object' || value === null) return;
    const reference = '$ref' in value ? String(value.$ref) : '';
    const name = reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : undefined;
    if (name !== undefined && !found.has(name)) {
      const schema = shown(COMPONENTS[name]);
      found.set(name, schema);
      collect(schema);
    }
    Object.values(value).forEach(collect);
  };
  collect(part);
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A schema without the keywords that only this product reads; what they mean to a caller is said in words. */
export function shown(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shown);
  if (typeof schema !== 'object' || schema === null) return schema;
  const given = asJson(schema);
  const entries = Object.entries(withoutWideLimits(given))
    .filter(([keyword]) => !keyword.startsWith('x-') && keyword !== 'tsType')
    .map(([keyword, value]) => [keyword, NAMED.has(keyword) ? mapValues(asJson(value), shown) : shown(value)]);
  const required = requiredFields(given);
  return {
    ...Object.fromEntries(entries),
    ...traitNote(given),
    ...('properties' in given && { required: required.length > 0 ? required : undefined }),
    ...(isFreeForm(given) && { additionalProperties: true }),
  };
}

/**
 * Limits of 64 bits, which no number of JSON holds exactly, are a format; a lower limit gives way to one that excludes
 * itself.
 */
function withoutWideLimits({ minimum, maximum, ...schema }: Json): Json {
  const hasLowest = isExact(minimum) && !('exclusiveMinimum' in schema);
  return {
    ...schema,
    ...(hasLowest && { minimum }),
    ...(isExact(maximum) ? { maximum } : maximum !== undefined && { format: 'int64' }),
  };
}

const isExact = (limit: unknown): boolean => typeof limit === 'number' && Number.isSafeInteger(limit);

/** Whether a field must be there for the newest version: what older ones ask for is said in words. */
export function requiredFields({ properties, required }: Json): readonly string[] {
  const always = new Set(Array.isArray(required) ? required : []);
  return Object.entries(asJson(properties ?? {})).flatMap(([name, property]) => {
    const { 'x-trait': read, 'x-required-trait': asked } = asJson(property);
    const isAsked = always.has(name) ? isNow(read) : asked !== undefined && isNow(asked);
    return isAsked ? [name] : [];
  });
}

const isNow = (trait: unknown): boolean => trait === undefined || isNewestWith(trait as TraitName);

const isFreeForm = ({ type, properties, additionalProperties }: Json): boolean =>
  [type].flat().includes('object') && properties === undefined && additionalProperties === undefined;

/** What the traits of a field mean to callers. */
function traitNote({ 'x-trait': read, 'x-required-trait': asked, description }: Json): Json {
  const notes = [
    ...(read === undefined ? [] : [`Read from callers of ${versionsWith(read as TraitName)}.`]),
    ...(asked === undefined ? [] : [`Required of callers of ${versionsWith(asked as TraitName)}.`]),
  ];
  if (notes.length === 0) return {};
  const text = [...(typeof description === 'string' ? [description] : []), ...notes].join(' ');
  return { description: text, ...(!isNow(read) && { deprecated: true }) };
}

export const asJson = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

function mapValues(record: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
