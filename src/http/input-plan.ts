import type { Refusal } from '../recipes/refusal.ts';
import type { LIMITS } from '../config/limits.ts';
import type { TraitName } from '../cdi/traits.ts';

/** How a value as sent becomes a value as typed, beyond a check of its type (contract 01 section 2.11). */
export type Coercion =
  | 'string'
  | 'trimmed'
  | 'number'
  | 'strings'
  | 'free-form'
  | 'free-form-or-null'
  | 'free-form-items'
  | 'query-int'
  | 'query-long'
  | 'query-boolean'
  | 'query-list';

/** One field of an input. */
export interface FieldPlan {
  readonly name: string;
  readonly coerce?: Coercion;
  /** Which number a query parameter has to be; words the refusal. */
  readonly kind?: 'int' | 'long';
  /** The field is read only under this trait of the request's CDI version. */
  readonly trait?: TraitName;
  /** Whether the field is required: always, never, under a trait, or if the input has any member at all. */
  readonly required: boolean | TraitName | 'unless-empty';
  /** The most characters of a text or of a list of texts, or bytes of a free-form field as text. */
  readonly limit?: keyof typeof LIMITS;
  /** Checked after the scope guard. */
  readonly late?: boolean;
  /** Exact texts by the keyword that failed; `<field>` stands for the name. */
  readonly errors?: Readonly<Record<string, string>>;
}

/** One fault as Ajv reports it. */
export interface ValidationError {
  readonly instancePath: string;
  readonly keyword: string;
}

/** A validator compiled from a schema; after `false`, `errors` holds every fault. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly ValidationError[] | null;
}

/** How one input is read and checked; made by `npm run generate` from its schema. */
export interface InputPlan {
  /** `body-or-query`: the query where there is no body; `form`: the query, then the fields of a posted form. */
  readonly in: 'body' | 'query' | 'body-or-query' | 'form';
  /** Whether a field is free-form: then numbers are read without loss. */
  readonly freeForm: boolean;
  /** In the order in which faults are reported. */
  readonly fields: readonly FieldPlan[];
  /** Exact texts for faults of the whole input, by keyword. */
  readonly errors?: Readonly<Record<string, string>>;
  readonly validate: Validator;
}

/** A normalised command. A refusal in `late` is thrown after the scope guard; until then, no `late` field is used. */
export interface Input {
  readonly command: { readonly [name: string]: unknown };
  readonly late: Refusal | undefined;
}
