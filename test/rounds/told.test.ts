import { beforeAll, describe, expect, test } from 'vitest';
import { type EventKind, EVENT_KINDS } from '../../src/recipes/audit/kinds.ts';
import { parseEvent, pendingEvents } from '../../src/recipes/audit/records.ts';
import { tellsOperators } from '../../src/recipes/audit/silences.ts';
import type { AuditEvent } from '../../src/recipes/audit/event.ts';
import type { Route } from '../../src/recipes/route.ts';
import { ROUTES } from '../../src/recipes/routes.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { make, SCENARIOS } from './scenarios.ts';

/*
 * What is changed is told: every endpoint names the events that its calls may leave, or why they leave none, and a call of each that does its
 * work shows that the name is right. Whoever adds an endpoint and forgets the audit trail is told here.
 */

/** Events that no row names: those of jobs and of commands over a folder, and of operators where their row names none. */
const ELSEWHERE: readonly EventKind[] = [
  'store.migrated',
  'store.restored',
  'store.copied',
  'audit.trimmed',
  'webhook.disabled',
  'operator.acted',
];
/** Calls of scenarios that change nothing although such calls do. */
const WITHOUT_CHANGE = new Set(['POST /recipe/user/email/verify/remove', 'DELETE /recipe/user/role', 'DELETE /recipe/role']);

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;
const rowsOf = (endpoint: string): readonly Route[] => ROUTES.filter((row) => nameOf(row) === endpoint);

async function eventsIn({ services }: InProcessCore): Promise<readonly AuditEvent[]> {
  const rows = await services.store.read((reader) => reader.list(pendingEvents, undefined, { prefix: [], limit: 100_000 }));
  return rows.map(({ text }) => parseEvent(text));
}

describe('every endpoint says what it tells', () => {
  test('one that may change something names events, or why there are none', () => {
    const silent = ROUTES.filter(({ method, tells, silence }) => method !== 'GET' && !tells && !silence);
    expect(silent.map(nameOf), 'add `tells` to the row, and call recordEvent in its transaction; or `silence`').toEqual([]);
  });

  test('every kind of event is told by some endpoint', () => {
    const told = new Set<string>([...ROUTES.flatMap(({ tells }) => tells ?? []), ...ELSEWHERE]);
    expect(EVENT_KINDS.filter((kind) => !told.has(kind))).toEqual([]);
  });
});

describe('a call leaves the events that its row names', () => {
  let core: InProcessCore;
  let before: ReadonlySet<string>;
  beforeAll(async () => {
    core = await openInProcessCore('5.4');
    before = new Set();
  });

  test.each(SCENARIOS)('$endpoint', async ({ endpoint, play }) => {
    const made = await make(core);
    await play(core, made);
    const events = (await eventsIn(core)).filter(({ id }) => !before.has(id));
    before = new Set([...before, ...events.map(({ id }) => id)]);
    // Keys are made when they are first needed, by whatever call that is.
    for (const { actor, kind, via = '' } of events)
      if (actor.type !== 'system')
        expect(
          rowsOf(via).flatMap(({ tells, silence }) => [...(tells ?? []), ...(tellsOperators(silence) ? ['operator.acted'] : [])]),
          via,
        ).toContain(kind);
    const name = endpoint.split(' ').slice(0, 2).join(' ');
    const mustTell = rowsOf(name).some(({ tells, silence }) => tells && !silence) && !WITHOUT_CHANGE.has(endpoint);
    if (mustTell)
      expect(
        events.filter(({ via }) => via === name),
        'the call changed something and left no event',
      ).not.toEqual([]);
  });

  test('events hold neither secrets nor contacts', async () => {
    const wrong = /@example\.com|\+\d{6,}|good password|"(?:token|secret|hash|password\w*|email|phone\w*)":/i;
    const texts = (await eventsIn(core)).map((event) => JSON.stringify(event));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => wrong.test(text))).toEqual([]);
  });
});
