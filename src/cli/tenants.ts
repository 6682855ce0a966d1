import { readFileSync } from 'node:fs';
import { optionNamed, optionOf } from '../config/options.ts';
import { UsageError } from '../transfer/command-line.ts';
import { asking, ok } from './answers.ts';
import { type Bound, CommandFault, EXIT } from './command.ts';
import type { Core } from './connection.ts';
import { table } from './table.ts';

interface ListedTenant {
  readonly tenantId: string;
  readonly firstFactors?: readonly string[];
  readonly requiredSecondaryFactors?: readonly string[];
  readonly thirdParty?: { readonly providers?: readonly { readonly thirdPartyId: string }[] };
  readonly coreConfig: Readonly<Record<string, unknown>>;
}

interface ListedApp {
  readonly appId: string;
  readonly tenants: readonly ListedTenant[];
}

const isSecret = (option: string): boolean => {
  const name = optionNamed(option);
  return name !== undefined && optionOf(name).secret !== undefined;
};

/** A tenant as it is shown. What is printed ends in scrollback and logs: of providers and secrets the names alone. */
function withoutSecrets({ thirdParty, coreConfig, ...tenant }: ListedTenant) {
  return {
    ...tenant,
    providers: (thirdParty?.providers ?? []).map(({ thirdPartyId }) => thirdPartyId),
    coreConfig: Object.fromEntries(Object.entries(coreConfig).map(([name, value]) => [name, isSecret(name) ? '(set)' : value])),
  };
}

type ShownTenant = ReturnType<typeof withoutSecrets>;

/** An option as the management endpoint shows it. */
interface EffectiveOption {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
  readonly isSet?: boolean;
}

const SET_FLAGS = {
  set: { value: 'OPTION=VALUE', many: true, doc: 'an option of its own configuration; an empty value removes it' },
  'first-factor': { value: 'FACTOR', many: true, doc: 'a first factor that may be used, such as emailpassword' },
  file: { value: 'FILE', doc: 'JSON file with the members that the endpoint takes, - for standard input' },
} as const;

export const CHANGED_ONLY = { changed: { doc: 'only options that are not at their default' } } as const;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Options for people, each with where its value comes from. */
export function optionsTable(options: readonly EffectiveOption[]): string {
  const rows = options.map(({ name, value, source, isSet }) => [
    name,
    isSet === undefined ? textOf(value) : isSet ? '(set)' : '(not set)',
    source,
  ]);
  return table(['option', 'value', 'from'], rows);
}

/** The options in force for a tenant of the core. */
export async function effective(core: Pick<Core, 'call'>, changedOnly: boolean): Promise<readonly EffectiveOption[]> {
  const { options } = await core.call<{ options: readonly EffectiveOption[] }>('GET', '/manage/v1/config', { inTenant: true });
  return changedOnly ? options.filter(({ source }) => source !== 'default') : options;
}

/** The members that are sent for `put`. @throws UsageError */
function membersOf(flags: {
  readonly set: readonly string[];
  readonly 'first-factor': readonly string[];
  readonly file: string | undefined;
}): object {
  const fromFile: unknown = flags.file === undefined ? {} : parsed(flags.file);
  if (typeof fromFile !== 'object' || fromFile === null) throw new UsageError('--file must hold a JSON object');
  const pairs = flags.set.map((pair): [string, unknown] => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--set takes OPTION=VALUE, not ${pair}`);
    const [option, value] = [pair.slice(0, at), pair.slice(at + 1)];
    // Everybody on the machine who lists processes would see it.
    if (isSecret(option) && value !== '')
      throw new UsageError(`${option} is a secret: set it with --file, as {"coreConfig": {"${option}": …}}`);
    return [option, value === '' ? null : typed(value)];
  });
  return {
    ...fromFile,
    ...(pairs.length > 0 && { coreConfig: Object.fromEntries(pairs) }),
    ...(flags['first-factor'].length > 0 && { firstFactors: flags['first-factor'] }),
  };
}

/** Numbers and booleans as such; everything else is text, also digits that as a number would be others. */
function typed(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function tenantsTable(tenants: readonly ShownTenant[]): string {
  const rows = tenants.map((tenant) => [
    tenant.tenantId,
    tenant.firstFactors ? tenant.firstFactors.join(',') || 'none' : 'all',
    tenant.requiredSecondaryFactors?.join(','),
    tenant.providers.join(','),
    Object.keys(tenant.coreConfig).join(','),
  ]);
  return table(['tenant', 'first factors', 'required factors', 'providers', 'own options'], rows);
}

interface Written {
  readonly status: string;
  readonly createdNew: boolean;
}

interface Removed {
  readonly status: string;
  readonly didExist: boolean;
}

const written =
  (kind: string) =>
  (answer: Written, [id]: readonly string[]) =>
    `The ${kind} ${id} is ${answer.createdNew ? 'made' : 'changed'}.\n`;

function existing(answer: Removed, what: string): Removed {
  if (!answer.didExist) throw new CommandFault(`There is no ${what}`, EXIT.notFound);
  return answer;
}

const API = '/recipe/multitenancy';

/** `watchword tenant`. */
export const TENANT_COMMANDS: readonly Bound[] = [
  asking({
    name: 'list',
    about: 'Lists the tenants of an app.',
    examples: ['tenant list', 'tenant list --app-id shop'],
    ask: async (core) =>
      (await core.call<{ tenants: readonly ListedTenant[] }>('GET', `${API}/tenant/list/v2`)).tenants.map(withoutSecrets),
    text: tenantsTable,
  }),
  asking({
    name: 'show',
    operands: ['[TENANT]'],
    about: 'Shows the options in force for a tenant, and where each comes from.',
    examples: ['tenant show', 'tenant show t1 --changed'],
    flags: CHANGED_ONLY,
    ask: (core, [tenantId], { changed }) => effective(core.at({ tenantId }), changed),
    text: optionsTable,
  }),
  asking({
    name: 'put',
    operands: ['<TENANT>'],
    about: 'Makes a tenant, or changes one.',
    examples: ['tenant put t1 --first-factor emailpassword', 'tenant put t1 --set password_reset_token_lifetime=600000'],
    flags: SET_FLAGS,
    ask: (core, [tenantId], flags) => core.call<Written>('PUT', `${API}/tenant/v2`, { body: { ...membersOf(flags), tenantId } }),
    text: written('tenant'),
  }),
  asking({
    name: 'remove',
    operands: ['<TENANT>'],
    about: 'Removes a tenant with all that belongs to it alone.',
    examples: ['tenant remove t1 --yes'],
    warning: ([tenantId]) => `The tenant ${tenantId} and all that belongs to it alone will be gone.`,
    ask: async (core, [tenantId]) =>
      existing(ok(await core.call<Removed>('POST', `${API}/tenant/remove`, { body: { tenantId } })), `tenant ${tenantId}`),
    text: (_, [tenantId]) => `The tenant ${tenantId} is removed.\n`,
  }),
];

/** `watchword app`. */
export const APP_COMMANDS: readonly Bound[] = [
  asking({
    name: 'list',
    about: 'Lists the apps with their tenants.',
    examples: ['app list', 'app list --json'],
    ask: async (core) => {
      const { apps } = await core.call<{ apps: readonly ListedApp[] }>('GET', `${API}/app/list/v2`);
      return apps.map(({ appId, tenants }) => ({ appId, tenants: tenants.map(withoutSecrets) }));
    },
    text: (apps) =>
      table(
        ['app', 'tenants', 'own options'],
        apps.map(({ appId, tenants }) => [
          appId,
          tenants.length,
          Object.keys(tenants.find(({ tenantId }) => tenantId === 'public')?.coreConfig ?? {}).join(','),
        ]),
      ),
  }),
  asking({
    name: 'show',
    operands: ['[APP]'],
    about: 'Shows the options in force for an app, and where each comes from.',
    examples: ['app show', 'app show shop --changed'],
    flags: CHANGED_ONLY,
    ask: (core, [appId], { changed }) => effective(core.at({ appId }), changed),
    text: optionsTable,
  }),
  asking({
    name: 'put',
    operands: ['<APP>'],
    about: 'Makes an app, or changes one.',
    examples: ['app put shop', 'app put shop --set access_token_validity=600'],
    flags: SET_FLAGS,
    ask: (core, [appId], flags) => core.call<Written>('PUT', `${API}/app/v2`, { body: { ...membersOf(flags), appId } }),
    text: written('app'),
  }),
  asking({
    name: 'remove',
    operands: ['<APP>'],
    about: 'Removes an app, which must have no tenant but the public one, with everything in it.',
    examples: ['app remove shop --yes'],
    warning: ([appId]) => `The app ${appId}, its users and all that belongs to it will be gone.`,
    ask: async (core, [appId]) => existing(ok(await core.call<Removed>('POST', `${API}/app/remove`, { body: { appId } })), `app ${appId}`),
    text: (_, [appId]) => `The app ${appId} is removed.\n`,
  }),
];
