import { normaliseShared } from './config.ts';
import { isProtected, isStorageKey, OPTION_NAMES, type OptionName, optionNamed, optionOf } from './options.ts';
import { brokenContractRule, brokenRules, hasKnownChoices } from './rules.ts';
import { type Candidate, type Config, coerce, MISMATCH, mismatchText, type Values } from './values.ts';

/** What a tenant, app or connection URI domain configures for itself: a parsed JSON object, values as sent. */
export type CoreConfig = Readonly<Record<string, unknown>>;

/** No value of one's own. */
export const NO_CORE_CONFIG: CoreConfig = Object.freeze({});

/** Whether a coreConfig may hold the option at all. */
const isSettable = (name: OptionName): boolean => optionOf(name).level !== 'B';

/**
 * The effective configuration: each option from the nearest layer that names it, else from the base
 * (contract 01 section 10.1 item 2). A null hides the layers behind it and means the default.
 * @param layers own, app's and connection URI domain's values, nearest first
 */
export function overlay(base: Config, ...layers: readonly CoreConfig[]): Config {
  const { candidate } = apply(base, layers);
  // Stored values passed the checks of their time; where this version refuses one, the base's value is the safe one.
  return hasKnownChoices(candidate) ? Object.freeze(candidate) : base;
}

/** Whether a coreConfig has a say in what an option is: nothing in it that is unreadable, or of the base alone, has. */
export function hasSay(own: CoreConfig, name: OptionName): boolean {
  const isReadable = (value: unknown): boolean => coerce(optionOf(name), value) !== MISMATCH;
  return isSettable(name) && Object.entries(own).some(([key, value]) => optionNamed(key) === name && isReadable(value));
}

/** The layers over the base; an unreadable option keeps the base's value. @param takes options taken from the layers */
function apply(
  base: Config,
  layers: readonly CoreConfig[],
  takes: (name: OptionName) => boolean = isSettable,
): { readonly candidate: Candidate; readonly faults: readonly string[] } {
  const values: Values = { ...base };
  const faults: string[] = [];
  for (const [key, value] of layers.toReversed().flatMap((layer) => Object.entries(layer))) {
    const name = optionNamed(key);
    if (name === undefined) continue;
    const read = coerce(optionOf(name), value);
    if (read === MISMATCH) faults.push(mismatchText(key, optionOf(name)));
    else if (takes(name)) values[name] = read;
  }
  return { candidate: normaliseShared(values as Candidate), faults };
}

/**
 * What a partial update makes of a stored coreConfig (contract 04 section 4.2): a value replaces; a null removes a
 * stored key and is itself stored for any other.
 */
export function mergeCoreConfig<V>(stored: Readonly<Record<string, V>>, sent: Readonly<Record<string, V>>): Record<string, V> {
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(sent)) {
    if (value === null && merged.has(key)) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** An app with those of its tenants that have values of their own. */
export interface Family {
  /** The layers of the app's public tenant, nearest first. */
  readonly app: readonly CoreConfig[];
  /** The own values of its other tenants. */
  readonly tenants: readonly CoreConfig[];
}

/** A change of one coreConfig, with what it touches. */
export interface CoreConfigChange {
  readonly base: Config;
  readonly testMode: boolean;
  /** Contract 01 section 10.5. */
  readonly protectedMode: boolean;
  readonly isBaseTenant: boolean;
  /** The target's own values before and after. */
  readonly before: CoreConfig;
  readonly after: CoreConfig;
  /** The layers the target inherits from, nearest first. */
  readonly outer: readonly CoreConfig[];
  /** Every app whose values depend on the target, as they will be. */
  readonly families: readonly Family[];
}

/** Why a change is refused: 400 or 403. */
export interface CoreConfigComplaint {
  readonly refusal: 'bad-input' | 'forbidden';
  readonly text: string;
}

const bad = (text: string): CoreConfigComplaint => ({ refusal: 'bad-input', text: `Invalid core config: ${text}` });

/** The checks of contract 04 section 4.3 in its order; the first complaint, `undefined` when the change is fine. */
const CHECKS: readonly ((change: CoreConfigChange) => CoreConfigComplaint | undefined)[] = [
  ({ isBaseTenant, after }) =>
    isBaseTenant && Object.keys(after).length > 0 ? { refusal: 'bad-input', text: 'Cannot modify base config' } : undefined,
  ({ after }) =>
    complain(
      Object.keys(after).find((key) => !isKnown(key)),
      (key) => `Invalid config key: ${key}`,
    ),
  (change) => guardProtected(change, isStorageKey, 'Not allowed to modify DB related configs.'),
  (change) => guardProtected(change, (key) => !isStorageKey(key), 'Not allowed to modify protected configs.'),
  ({ base, after }) => complain(apply(base, [after]).faults[0], (text) => text),
  ({ after, outer, ...change }) => firstBrokenAsSent([after, ...outer], change),
  ({ after, outer, ...change }) => firstBroken([after, ...outer], change),
  ({ families, ...change }) => firstOf(families, ({ app }) => firstBroken(app, change)),
  ({ families, base }) =>
    complain(
      firstOf(families, (family) => unlikeApp(base, family)),
      differs,
    ),
  ({ after }) => complain(Object.keys(after).find(isBaseOnly), (key) => `${key} can only be set via the core's base config setting`),
];

/** Checks a change of coreConfig (contract 04 section 4.3). */
export function checkCoreConfig(change: CoreConfigChange): CoreConfigComplaint | undefined {
  return firstOf(CHECKS, (check) => check(change));
}

/** What a protected-mode caller may see of a coreConfig (contract 04 section 4.4). */
export function withoutProtected<V>(coreConfig: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(Object.entries(coreConfig).filter(([key]) => !isProtected(key)));
}

const differs = (name: OptionName): string => `You cannot set different values for ${name} for the same appId`;
const isKnown = (key: string): boolean => optionNamed(key) !== undefined || isStorageKey(key);

function isBaseOnly(key: string): boolean {
  const name = optionNamed(key);
  return name !== undefined && !isSettable(name);
}

function complain<T>(found: T | undefined, textOf: (found: T) => string): CoreConfigComplaint | undefined {
  return found === undefined ? undefined : bad(textOf(found));
}

function firstOf<T, U>(items: readonly T[], find: (item: T) => U | undefined): U | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Circumstances = Pick<CoreConfigChange, 'base' | 'testMode'>;

function firstBroken(layers: readonly CoreConfig[], { base, testMode }: Circumstances): CoreConfigComplaint | undefined {
  return complain(brokenRules(apply(base, layers).candidate, { testMode })[0], (text) => text);
}

/** The contract's rules also see options of the base; refusing these comes last (contract 04 section 4.3 item 8). */
function firstBrokenAsSent(layers: readonly CoreConfig[], { base, testMode }: Circumstances): CoreConfigComplaint | undefined {
  return complain(brokenContractRule(apply(base, layers, () => true).candidate, { testMode }), (text) => text);
}

/** The first option of level A for which one of the app's tenants would have another value. */
function unlikeApp(base: Config, { app, tenants }: Family): OptionName | undefined {
  const appValues = apply(base, app).candidate;
  return firstOf(tenants, (own) => {
    const values = apply(base, [own, ...app]).candidate;
    return OPTION_NAMES.find((name) => optionOf(name).level === 'A' && String(values[name]) !== String(appValues[name]));
  });
}

/** Refuses a change of a protected value in protected mode; repeating the value in force is no change. */
function guardProtected(change: CoreConfigChange, concerns: (key: string) => boolean, text: string): CoreConfigComplaint | undefined {
  if (!change.protectedMode) return undefined;
  const keys = [...Object.keys(change.before), ...Object.keys(change.after)].filter((key) => isProtected(key) && concerns(key));
  const changed = keys.some((key) => inForce(key, change, change.before) !== inForce(key, change, change.after));
  return changed ? { refusal: 'forbidden', text } : undefined;
}

/** What a protected value would become with `own` as the target's own values; protected options are all texts. */
function inForce(key: string, { base, outer }: CoreConfigChange, own: CoreConfig): string | null {
  const name = optionNamed(key);
  const holder = [own, ...outer].find((layer) => Object.hasOwn(layer, key));
  const value = holder ? holder[key] : name === undefined ? null : base[name];
  return value === null || value === undefined ? null : String(value);
}
