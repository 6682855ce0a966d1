import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryEngine } from '../../src/store/memory.ts';
import { EngineStore } from '../../src/store/transactions.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { readRawStore } from '../recipes/multitenancy/raw-store.ts';
import { emptyMemory, holdersOf, learn, type Memory, Names } from './memory.ts';
import { APP_OPERATIONS, type Draw, type Request, SECRET, TENANT_OPERATIONS } from './operations.ts';
import { FOREIGN_IN_APP, FOREIGN_IN_TENANT, type Probe } from './probes.ts';

/**
 * What one app or tenant sees never depends on what others do: each plays its random script alone, and beside all others, who use the very same
 * emails, accounts, ids of users, roles and devices. Every answer must be the same, and so must be what is kept.
 */

/** Who acts, and on what: a whole app from its public tenant, or one tenant of an app that it shares with others. */
interface Actor {
  readonly appId: string;
  readonly tenantId: string;
  readonly host?: string;
  readonly operations: typeof APP_OPERATIONS;
}

const ACTORS: readonly Actor[] = [
  { appId: 'public', tenantId: 'public', operations: APP_OPERATIONS },
  { appId: 'a', tenantId: 'public', operations: APP_OPERATIONS },
  { appId: 'a', tenantId: 'public', host: 'example.com', operations: APP_OPERATIONS },
  { appId: 'shared', tenantId: 'public', operations: TENANT_OPERATIONS },
  { appId: 'shared', tenantId: 't1', operations: TENANT_OPERATIONS },
  { appId: 'shared', tenantId: 't2', operations: TENANT_OPERATIONS },
];
const STEP_MS = 20_000;
const START = 1_800_000_000_000;
const FLAGS = ['--sign-in-failures-per-account', '5'];

type Script = readonly (Draw & { readonly name: string })[];

/** An answer as it can be compared. */
interface Seen {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
}

interface Played {
  readonly engine: MemoryEngine;
  readonly core: InProcessCore;
  /** By actor. */
  readonly answers: readonly (readonly Seen[])[];
  readonly memories: readonly Memory[];
}

function ask(core: InProcessCore, { appId, tenantId, host }: Actor, { method, path, body, rid }: Request): Promise<InProcessAnswer> {
  const options = { ...(host !== undefined && { host }), ...(rid !== undefined && { rid }) };
  return core.call(method, `/appid-${appId}/${tenantId}${path}`, body, options);
}

/** The same for every run: otherwise the numbers of apps would tell who else was there. */
async function prepare(core: InProcessCore): Promise<void> {
  const make = async (actor: Pick<Actor, 'appId' | 'host'>, path: string, body: object): Promise<void> => {
    const answer = await ask(core, { tenantId: 'public', operations: {}, ...actor }, { method: 'PUT', path, body });
    expect(answer.body).toEqual({ status: 'OK', createdNew: true });
  };
  await make({ appId: 'public' }, '/recipe/multitenancy/connectionuridomain/v2', { connectionUriDomain: 'example.com' });
  await make({ appId: 'public', host: 'example.com' }, '/recipe/multitenancy/app/v2', { appId: 'a' });
  for (const appId of ['a', 'shared']) await make({ appId: 'public' }, '/recipe/multitenancy/app/v2', { appId });
  for (const tenantId of ['t1', 't2']) await make({ appId: 'shared' }, '/recipe/multitenancy/tenant/v2', { tenantId });
  const shared = { appId: 'shared', tenantId: 'public', operations: {} };
  for (const role of ['role0', 'role1']) await ask(core, shared, { method: 'PUT', path: '/recipe/role', body: { role } });
  // Devices and what is counted of their codes belong to apps.
  for (const userId of ['public', 't1', 't2'].flatMap(holdersOf)) {
    const body = { userId, deviceName: 'device0', secretKey: SECRET, skew: 1, period: 30 };
    await ask(core, shared, { method: 'POST', path: '/recipe/totp/device/import', body });
  }
}

/** Plays the scripts of some actors, a step of each at a time, all at once. */
async function play(scripts: readonly Script[], acting: readonly number[]): Promise<Played> {
  const engine = new MemoryEngine({});
  const core = await openInProcessCore('5.4', FLAGS, new EngineStore(engine));
  core.clock.now = START;
  await prepare(core);
  const names = ACTORS.map(() => new Names());
  const memories = ACTORS.map(({ tenantId }) => emptyMemory(tenantId));
  const answers: Seen[][] = ACTORS.map(() => []);
  const steps = Math.max(...scripts.map(({ length }) => length));
  for (let step = 0; step < steps; step++) {
    core.clock.now += STEP_MS;
    await Promise.all(
      acting.map(async (at) => {
        const [actor, draw, memory] = [ACTORS[at], scripts[at]?.[step], memories[at]];
        if (!actor || !draw || !memory) return;
        const { name } = draw;
        const request = actor.operations[name]?.(draw, memory, core.clock.now);
        if (!request) return;
        const { status, body } = await ask(core, actor, request);
        expect(status, `${name} ${JSON.stringify(request)} ${JSON.stringify(body)}`).toBeLessThan(500);
        learn(memory, body);
        answers[at]?.push({ name, status, body: names[at]?.normalise(body) });
      }),
    );
  }
  return { engine, core, answers, memories };
}

/** The numbers by which the store knows an actor. */
async function numbersOf(core: InProcessCore, { appId, tenantId, host }: Actor) {
  const tenant = await core.services.directory.find({ cud: host ?? '', appId, tenantId });
  if (!tenant) throw new Error(`${appId} ${tenantId} is missing`);
  return { app: tenant.app, tenant: tenant.tenant };
}

/** Everything that is kept for an actor: of its app, or of its tenant where it shares the app. */
async function keptFor({ engine, core }: Pick<Played, 'engine' | 'core'>, actor: Actor) {
  const { app, tenant } = await numbersOf(core, actor);
  const { records, strays } = await readRawStore(engine);
  expect(strays).toEqual([]);
  return records.filter((record) => record.app === app && (actor.operations === APP_OPERATIONS || record.tenants.includes(tenant)));
}

const countsOf = (records: Awaited<ReturnType<typeof keptFor>>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { collection } of records.toSorted((a, b) => (a.collection < b.collection ? -1 : 1)))
    counts[collection] = (counts[collection] ?? 0) + 1;
  return counts;
};

/** What belongs to one actor means nothing to another: it is told what a stranger's guess would be told, and changes nothing. */
async function probeForeign(played: Played): Promise<void> {
  for (const [at, owner] of ACTORS.entries()) {
    const memory = played.memories[at] ?? emptyMemory('');
    const before = await keptFor(played, owner);
    for (const other of ACTORS) {
      if (other === owner) continue;
      const isSameApp = other.appId === owner.appId && other.host === owner.host;
      for (const probe of isSameApp ? FOREIGN_IN_TENANT : FOREIGN_IN_APP) await probeOne(played, other, memory, probe);
    }
    expect(entriesOf(await keptFor(played, owner))).toEqual(entriesOf(before));
  }
}

const entriesOf = (records: Awaited<ReturnType<typeof keptFor>>): string[] => records.flatMap(({ entries }) => entries).toSorted();

async function probeOne({ core }: Played, other: Actor, memory: Memory, { values, request, isRefused }: Probe): Promise<void> {
  for (const value of values(memory).slice(0, 3)) {
    const { status, body } = await ask(core, other, request(value));
    const told = JSON.stringify({ request: request(value), status, body });
    // From another tenant than the public one, an app's data cannot be asked for; a handle may name a tenant that the other app has not.
    const isOutside = status === 403 || (status === 400 && String(body['text']).startsWith('AppId or tenantId not found'));
    expect(isOutside || isRefused(body), `${other.appId}/${other.tenantId}: ${told}`).toBe(true);
  }
}

/** Every operation three times, in any order. */
const scriptOf = ({ operations }: Actor): fc.Arbitrary<Script> => {
  const names = Object.keys(operations);
  const steps = [...names, ...names, ...names];
  const draw = fc.noBias(fc.record({ a: fc.nat(5), b: fc.nat(3), c: fc.nat(3) }));
  const draws = fc.array(draw, { minLength: steps.length, maxLength: steps.length });
  const order = fc.shuffledSubarray(steps, { minLength: steps.length });
  return fc.tuple(order, draws).map(([order, drawn]) => order.map((name, at) => ({ a: 0, b: 0, c: 0, ...drawn[at], name })));
};

test('what one sees does not depend on others', { timeout: 240_000 }, async () => {
  const everybody = ACTORS.map((_, at) => at);
  const succeeded = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const scripts = ACTORS.flatMap((actor, at) => fc.sample(scriptOf(actor), { numRuns: 1, seed: seed + at }));
      const together = await play(scripts, everybody);
      for (const [at, actor] of ACTORS.entries()) {
        const alone = await play(scripts, [at]);
        const title = `${actor.host ?? ''} ${actor.appId} ${actor.tenantId}`;
        expect(together.answers[at], title).toEqual(alone.answers[at]);
        expect(countsOf(await keptFor(together, actor)), title).toEqual(countsOf(await keptFor(alone, actor)));
      }
      for (const { name, body } of together.answers.flat()) if ((body as { status?: unknown }).status === 'OK') succeeded.add(name);
      await probeForeign(together);
    }),
    { numRuns: 3, seed: 20_261_121, endOnFailure: true },
  );
  // Refusals alone would prove nothing.
  expect(Object.keys(APP_OPERATIONS).filter((name) => !succeeded.has(name))).toEqual([]);
});
