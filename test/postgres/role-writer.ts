import { setTimeout as rest } from 'node:timers/promises';
import { expect } from 'vitest';
import type { CdiClient, Reply } from '../cdi-client.ts';

/** What became of writes that clients asked for. */
export interface Written {
  /** Acknowledged: must be there. */
  readonly kept: string[];
  /** Refused with `Retry-After`: must not be there. */
  readonly refused: string[];
  /** Nobody knows. */
  readonly unknown: string[];
  readonly others: string[];
}

/** Clients that write. */
export interface RoleWriter {
  readonly written: Written;
  stop(): Promise<void>;
}

const CLIENTS = 16;
const REST_AFTER_FAILURE_MS = 20;
const ALL_THREADS_BACK_MS = 3_000;

/** Creates roles until told to stop, 16 at a time, and sorts them by what was answered. */
export function writeRoles(clientOf: (at: number) => CdiClient): RoleWriter {
  const written: Written = { kept: [], refused: [], unknown: [], others: [] };
  const stopping = new AbortController();
  let at = 0;
  const loop = async (): Promise<void> => {
    do {
      const role = `role-${(at += 1)}`;
      const answer = await clientOf(at)
        .put('/recipe/role', { role })
        .catch(() => undefined);
      sort(written, role, answer);
      if (answer?.status !== 200) await rest(REST_AFTER_FAILURE_MS);
    } while (!stopping.signal.aborted);
  };
  const loops = Array.from({ length: CLIENTS }, loop);
  return {
    written,
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

function sort({ kept, refused, unknown, others }: Written, role: string, answer: Reply<unknown> | undefined): void {
  if (answer?.status === 200) kept.push(role);
  else if (answer === undefined || (answer.status === 503 && !answer.headers.has('retry-after'))) unknown.push(role);
  else if (answer.status === 503) refused.push(role);
  else others.push(`${answer.status} ${answer.text}`);
}

/** Each thread of a core finds out for itself that its database is back: one may still refuse what another answers. */
async function listRoles(client: CdiClient): Promise<readonly string[]> {
  const end = performance.now() + ALL_THREADS_BACK_MS;
  for (;;) {
    const { status, body } = await client.get<{ roles: readonly string[] }>('/recipe/roles');
    if (status !== 503 || performance.now() > end) {
      expect(status).toBe(200);
      return body.roles;
    }
    await rest(REST_AFTER_FAILURE_MS);
  }
}

/** What was acknowledged is there, what was refused is not, and nothing else was answered. */
export async function expectTruth(client: CdiClient, { kept, refused, others }: Written): Promise<void> {
  const there = new Set(await listRoles(client));
  expect(
    kept.filter((role) => !there.has(role)),
    'acknowledged and lost',
  ).toEqual([]);
  expect(
    refused.filter((role) => there.has(role)),
    'refused and kept',
  ).toEqual([]);
  expect(others).toEqual([]);
  expect(kept.length).toBeGreaterThan(0);
}

/** The status of a write; 0 where there was no answer. */
export const writeStatus = (client: CdiClient) => async (): Promise<number> =>
  (await client.put('/recipe/role', { role: 'well' }).catch(() => undefined))?.status ?? 0;

/** The status of `/readyz`. */
export const readiness = (url: string) => async (): Promise<number> => (await fetch(`${url}/readyz`)).status;
