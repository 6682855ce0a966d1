import { AuditTrail } from '../../../src/recipes/audit/trail.ts';
import { traitsFor } from '../../../src/cdi/traits.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import type { JsonText } from '../../../src/json/free-form.ts';
import { gatherText } from '../../../src/http/long-body.ts';
import { stringifyAnswer } from '../../../src/json/answer.ts';
import type { Context } from '../../../src/recipes/context.ts';
import { DirectoryCache } from '../../../src/recipes/tenants/directory-cache.ts';
import { BASE_ADDRESS, ensureBaseTenant } from '../../../src/recipes/tenants/ensure-base-tenant.ts';
import { ROUTES } from '../../../src/recipes/multitenancy/routes.ts';
import { Refusal } from '../../../src/recipes/refusal.ts';
import type { Route } from '../../../src/recipes/route.ts';
import type { Address } from '../../../src/recipes/tenants/address.ts';
import { SCOPES } from '../../../src/recipes/scope.ts';
import type { SigningKeys } from '../../../src/recipes/signing-keys/signing-keys.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';

/** A store in memory with a tenant directory, and a way to call the endpoints of multitenancy as the front does. */
export interface World {
  readonly store: Store;
  readonly config: Config;
  readonly directory: DirectoryCache;
  /** The time, ms since the epoch. */
  now: number;
  /** Calls an endpoint; answers its JSON, or `<refusal>: <text>`. */
  call(method: string, path: string, command?: object, caller?: Caller): Promise<unknown>;
}

/** Who calls and from where. */
export interface Caller {
  readonly from?: Partial<Address>;
  readonly version?: string;
  readonly protectedMode?: boolean;
}

export async function newWorld(env: Record<string, string> = {}, slow = false): Promise<World> {
  const store = await openStore({ engine: 'memory', slow });
  await ensureBaseTenant(store);
  const { config } = loadConfig({ argv: [], env, cwd: '/' });
  const directory = new DirectoryCache({ store, base: config, generation: new SharedArrayBuffer(4) });
  const world: World = {
    store,
    config,
    directory,
    now: 1_700_000_000_000,
    call: (method, path, command = {}, caller = {}) => call(world, method, path, command, caller),
  };
  return world;
}

async function call(world: World, method: string, path: string, command: object, caller: Caller): Promise<unknown> {
  const row = ROUTES.find((route) => route.method === method && route.path === `/recipe/multitenancy${path}`);
  if (!row) throw new Error(`no row for ${method} ${path}`);
  const context = contextFor(world, caller);
  try {
    const input = prepared(command) as never;
    row.early?.(input, context);
    const tenant = await guard(row, context);
    const answer = await row.handle({ ...context, ...(tenant && { tenant }) }, input);
    if ('jsonPieces' in answer) return JSON.parse(String(await gatherText(answer.jsonPieces)));
    return 'json' in answer ? JSON.parse(stringifyAnswer(answer.json)) : answer;
  } catch (error) {
    if (error instanceof Refusal) return `${error.refusal}: ${textOf(error)}`;
    throw error;
  }
}

/** Free-form members come as text, as the front hands them over. */
function prepared(command: object): object {
  return Object.fromEntries(
    Object.entries(command).map(([name, value]) => [name, name === 'coreConfig' ? (JSON.stringify(value) as JsonText) : value]),
  );
}

const guard = (row: Route, { address, traits, directory }: Context) =>
  row.scope === 'verb' || row.scope === 'none' ? undefined : SCOPES[row.scope](address, traits, directory);

const textOf = ({ details }: Refusal): string =>
  details && 'text' in details
    ? details.text
    : details && 'tenantId' in details
      ? `(${details.cud}, ${details.appId}, ${details.tenantId})`
      : '';

/** What happens is told elsewhere. */
const NO_TRAIL = new AuditTrail(
  () => false,
  (size) => Buffer.alloc(size),
);

/** Apps are made here, and nobody signs in. */
const NO_KEYS: Pick<SigningKeys, 'prepare'> = { prepare: () => {} };

function contextFor(world: World, { from = {}, version = '5.4', protectedMode = false }: Caller): Context {
  const context: Partial<Context> = {
    store: world.store,
    directory: world.directory,
    keys: NO_KEYS as SigningKeys,
    trail: NO_TRAIL,
    now: () => world.now,
    traits: traitsFor(version),
    address: { ...BASE_ADDRESS, ...from },
    protectedMode,
    testMode: false,
  };
  return context as Context;
}
