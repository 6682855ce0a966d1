import type { Traits } from '../cdi/traits.ts';
import { LIMITS } from '../config/limits.ts';
import { InvalidJsonError, isJsonObject } from '../json/free-form.ts';
import { JsonTooLargeError, readSentObject, SentObject } from '../json/sent-object.ts';
import { Refusal } from '../recipes/refusal.ts';
import { trimBlanks } from '../recipes/normalise.ts';
import type { Body } from './body.ts';
import type { Coercion, FieldPlan, Input, InputPlan, ValidationError } from './input-plan.ts';
import { readQuery } from './query.ts';

/** Where an input comes from. */
export interface InputSource {
  readonly body: Body;
  /** The query as sent, without `?`, and behind it the fields of a posted form. */
  readonly query: string;
}

const SIGNED_DIGITS = /^[+-]?[0-9]+$/;
const MAX_INT = 2n ** 31n - 1n;
const MAX_LONG = 2n ** 63n - 1n;

/** What a text array of one element counts as: that element (contract 01 section 2.11). */
const single = (raw: unknown): unknown => (Array.isArray(raw) && raw.length === 1 ? raw[0] : raw);

function asString(raw: unknown): unknown {
  const only = single(raw);
  return typeof only === 'string' ? only : raw;
}

function asNumber(raw: unknown): unknown {
  const only = single(raw);
  const isNumeric = typeof only === 'number' || (typeof only === 'string' && SIGNED_DIGITS.test(only));
  // Adding 0 turns -0 into 0.
  return isNumeric ? Math.trunc(Number(only)) + 0 : raw;
}

function asQueryNumber(raw: unknown, most: bigint): unknown {
  if (typeof raw !== 'string' || !SIGNED_DIGITS.test(raw)) return raw;
  const value = BigInt(raw.replace('+', ''));
  return value <= most && value >= -most - 1n ? Number(value) : raw;
}

/** Stands for a list with a wrong item: one fault instead of one per item, of which a body may hold millions. */
const WRONG_ITEM = false;

/** Brings what was sent into the form of the schema; what cannot be converted is left for the validator to refuse. */
const COERCIONS: { readonly [C in Coercion]: (raw: unknown) => unknown } = {
  string: asString,
  trimmed: (raw) => {
    const text = asString(raw);
    return typeof text === 'string' ? trimBlanks(text) : text;
  },
  number: asNumber,
  strings: (raw) => {
    if (!Array.isArray(raw)) return raw;
    const strings = raw.map(asString);
    return strings.every((item) => typeof item === 'string') ? strings : WRONG_ITEM;
  },
  // Free-form members are validated as they are and become text afterwards.
  'free-form': (raw) => raw,
  'free-form-or-null': (raw) => raw,
  'free-form-items': (raw) => (Array.isArray(raw) && !raw.every(isJsonObject) ? WRONG_ITEM : raw),
  'query-int': (raw) => asQueryNumber(raw, MAX_INT),
  'query-long': (raw) => asQueryNumber(raw, MAX_LONG),
  'query-boolean': (raw) => String(raw).toLowerCase() === 'true',
  'query-list': splitList,
};

function splitList(raw: unknown): string[] {
  return String(raw)
    .split(',')
    .map(trimBlanks)
    .filter((item) => item !== '');
}

/**
 * Reads the input of an endpoint: the first fault in the order of the schema's properties is thrown, or kept as `late`.
 * Runs without a promise; a body without free-form members costs one `JSON.parse`.
 */
export function readInput(plan: InputPlan, source: InputSource, traits: Traits): Input {
  if (plan.in === 'query' || plan.in === 'form') return readMembers(plan, new SentObject(readQuery(source.query)), traits);
  const { body } = source;
  if (plan.in === 'body-or-query' && body.text === '') return readMembers(plan, withLists(plan, readQuery(source.query)), traits);
  const known = body.inputFor(plan, traits);
  if (known) return known;
  const input = readMembers(plan, readBody(body.text), traits);
  body.keepInput(plan, traits, input);
  return input;
}

/** In a query, a list is one parameter with commas. */
function withLists(plan: InputPlan, members: { readonly [name: string]: string }): SentObject {
  const lists = plan.fields.filter(({ coerce, name }) => coerce === 'strings' && members[name] !== undefined);
  return new SentObject({ ...members, ...Object.fromEntries(lists.map(({ name }) => [name, splitList(members[name])])) });
}

/** Validation sees plain JSON, whatever numbers were sent; what is kept is exact. */
function readMembers(plan: InputPlan, sent: SentObject, traits: Traits): Input {
  const { members } = sent;
  const command: { [name: string]: unknown } = {};
  const missing: string[] = [];
  const isEmpty = Object.keys(members).length === 0;
  let late: Refusal | undefined;
  for (const field of plan.fields) {
    if (field.trait !== undefined && !traits[field.trait]) continue;
    const raw = members[field.name];
    if (raw === undefined) {
      if (isRequired(field, traits, isEmpty)) missing.push(field.name);
    } else if (sent.isLonger(field.name, mostOf(field))) late ??= lateOrThrown(field, tooLarge(field));
    else command[field.name] = field.coerce === undefined ? raw : COERCIONS[field.coerce](raw);
  }
  const isValid = plan.validate(command);
  const fault = isValid && missing.length === 0 ? undefined : firstFault(plan, missing, isValid ? [] : (plan.validate.errors ?? []));
  const excess = plan.freeForm ? writeFreeForm(plan, sent, command) : undefined;
  return { command, late: late ?? fault ?? excess };
}

const mostOf = ({ limit }: FieldPlan): number => (limit === undefined ? Number.POSITIVE_INFINITY : LIMITS[limit]);

function tooLarge(field: FieldPlan): Refusal {
  const unit = field.limit?.endsWith('Chars') ? 'characters' : 'bytes';
  return new Refusal('bad-input', { text: `Field name '${field.name}' must not be larger than ${mostOf(field)} ${unit}` });
}

/** What is wrong with a field, where it is to be told later; else it is thrown. */
function lateOrThrown({ late }: FieldPlan, refusal: Refusal): Refusal {
  if (!late) throw refusal;
  return refusal;
}

function readBody(text: string | undefined): SentObject {
  if (text === undefined) throw new Refusal('invalid-json');
  try {
    const sent = readSentObject(text, LIMITS.bodyParts);
    if (sent) return sent;
  } catch (error) {
    if (error instanceof JsonTooLargeError) throw new Refusal('body-too-large');
    if (!(error instanceof InvalidJsonError)) throw error;
    if (error.reason === 'number') throw new Refusal('number-too-long');
  }
  throw new Refusal('invalid-json');
}

function isRequired({ required }: FieldPlan, traits: Traits, isEmpty: boolean): boolean {
  if (required === 'unless-empty') return !isEmpty;
  return typeof required === 'boolean' ? required : traits[required];
}

/** Throws the first fault; answers it where only late fields have one. @param missing names of required fields */
function firstFault(plan: InputPlan, missing: readonly string[], errors: readonly ValidationError[]): Refusal | undefined {
  let late: Refusal | undefined;
  for (const field of plan.fields) {
    const fault = faultOf(plan, field, missing, errors);
    if (!fault) continue;
    if (!field.late) throw fault;
    late ??= fault;
  }
  const whole = errors.find(({ instancePath }) => instancePath === '');
  if (late || !whole) return late;
  throw new Refusal('bad-input', { text: plan.errors?.[whole.keyword] ?? 'Invalid Json Input' });
}

function faultOf(plan: InputPlan, field: FieldPlan, missing: readonly string[], errors: readonly ValidationError[]): Refusal | undefined {
  if (missing.includes(field.name)) return refusalOf(plan, field, 'required');
  const error = errors.find(({ instancePath }) => instancePath.split('/')[1] === field.name);
  return error && refusalOf(plan, field, error.keyword);
}

function refusalOf(plan: InputPlan, field: FieldPlan, keyword: string): Refusal {
  const text = field.errors?.[keyword];
  if (text !== undefined) return new Refusal('bad-input', { text: text.replaceAll('<field>', field.name) });
  const details = { field: field.name };
  if (plan.in !== 'query') return new Refusal('field-invalid', details);
  if (keyword === 'required') return new Refusal('query-missing', details);
  if (field.kind === undefined) return new Refusal('field-invalid', details);
  return field.kind === 'int' ? new Refusal('query-not-int', details) : new Refusal('query-not-long', details);
}

/** Turns free-form members into the text that is kept. Throws if one is too long; of a late field, answers that. */
function writeFreeForm(plan: InputPlan, sent: SentObject, command: { [name: string]: unknown }): Refusal | undefined {
  let late: Refusal | undefined;
  for (const field of plan.fields) {
    const { name, coerce } = field;
    const value = command[name];
    if (value === undefined) continue;
    if (coerce === 'free-form-items' && Array.isArray(value)) command[name] = sent.textsOf(name);
    else if (coerce === 'free-form' || (coerce === 'free-form-or-null' && value !== null)) {
      const text = sent.textOf(name);
      command[name] = text;
      const most = mostOf(field);
      // Of a character UTF-8 makes three bytes at most.
      if (text.length * 3 > most && Buffer.byteLength(text) > most) late ??= lateOrThrown(field, tooLarge(field));
    }
  }
  return late;
}
