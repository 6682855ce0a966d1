import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import type { RunningCore } from '../../running-core.ts';
import { create, tryRefresh, verify } from './session-calls.ts';
import { withCore } from '../../with-core.ts';

/**
 * Any order of refreshes and verifies, in both flows and with any token of the session ever handed out, must go as this small model of
 * contract 02 sections 2.3 and 2.4 says (within the grace window, reporting thefts as the reference core does).
 */
interface Refreshed {
  readonly token: string;
  /** The refresh token it was exchanged for. */
  readonly parent: string | null;
}

interface Access {
  readonly token: string;
  readonly refresh: string;
  /** Parent hash in the access token, here as the parent itself: only in those of a legacy refresh. */
  readonly parent: string | null;
}

interface Row {
  readonly current: string;
  readonly prev: string | null;
}

type Expected = { readonly status: string; readonly subtype?: string | undefined; readonly mints: boolean };

class Model {
  row: Row | undefined;
  readonly refreshes: Refreshed[];
  readonly accesses: Access[];

  constructor(refresh: string, access: string) {
    this.row = { current: refresh, prev: null };
    this.refreshes = [{ token: refresh, parent: null }];
    this.accesses = [{ token: access, refresh, parent: null }];
  }

  /** Whether a legacy refresh is granted; promotes a child. */
  legacyRefresh({ token, parent }: Refreshed): Expected {
    if (!this.row) return { status: 'UNAUTHORISED', mints: false };
    if (token !== this.row.current && parent !== this.row.current) return { status: 'TOKEN_THEFT_DETECTED', mints: false };
    if (token !== this.row.current) this.row = { current: token, prev: this.row.current };
    return { status: 'OK', mints: true };
  }

  /** Whether a rotating refresh is granted; the row follows with `rotated` once the new token is known. */
  rotatingRefresh({ token, parent }: Refreshed): Expected {
    const row = this.row;
    if (!row) return { status: 'UNAUTHORISED', mints: false };
    if (token === row.current || parent === row.current || token === row.prev) return { status: 'OK', mints: true };
    this.row = undefined;
    const subtype = row.prev !== null && parent === row.prev ? 'ORPHANED_BRANCH' : 'STALE_LINEAGE';
    return { status: 'TOKEN_THEFT_DETECTED', subtype, mints: false };
  }

  rotated(from: Refreshed, to: string): void {
    const isRetry = this.row?.prev === from.token && this.row.current !== from.token && this.row.current !== from.parent;
    this.row = { current: to, prev: isRetry ? (this.row?.prev ?? null) : from.token };
  }

  legacyVerify({ refresh, parent }: Access): Expected {
    if (parent === null) return { status: 'OK', mints: false };
    if (!this.row) return { status: 'UNAUTHORISED', mints: false };
    if (this.row.current === parent) this.row = { current: refresh, prev: parent };
    return { status: 'OK', mints: this.row.current === refresh };
  }

  strictVerify({ refresh, parent }: Access): Expected {
    const row = this.row;
    const known = (token: string | null): boolean => token !== null && (token === row?.current || token === row?.prev);
    return { status: row && (known(refresh) || known(parent)) ? 'OK' : 'UNAUTHORISED', mints: false };
  }
}

const OPERATIONS = ['legacyRefresh', 'rotatingRefresh', 'legacyVerify', 'strictVerify'] as const;
const step = fc.record({ operation: fc.constantFrom(...OPERATIONS), pick: fc.nat({ max: 1000 }) });
type Step = { readonly operation: (typeof OPERATIONS)[number]; readonly pick: number };

/** The newest tokens are picked most often, the way clients do it. */
function pickFrom<T>(list: readonly T[], pick: number): T {
  const back = pick % 3 === 0 ? pick % list.length : pick % Math.min(3, list.length);
  const found = list[list.length - 1 - back];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

async function refreshStep(client: CdiClient, model: Model, { operation, pick }: Step): Promise<readonly [Expected, Expected]> {
  const from = pickFrom(model.refreshes, pick);
  const isRotating = operation === 'rotatingRefresh';
  const expected = isRotating ? model.rotatingRefresh(from) : model.legacyRefresh(from);
  const { body } = await tryRefresh(client, from.token, {}, { cdi: isRotating ? '5.6' : '5.4' });
  const { accessToken, refreshToken } = body;
  if (accessToken && refreshToken) {
    if (isRotating) model.rotated(from, refreshToken.token);
    model.refreshes.push({ token: refreshToken.token, parent: from.token });
    model.accesses.push({ token: accessToken.token, refresh: refreshToken.token, parent: isRotating ? null : from.token });
  }
  return [expected, { status: body.status, subtype: body.recentTokenReuseSubtype, mints: refreshToken !== undefined }];
}

async function verifyStep(client: CdiClient, model: Model, { operation, pick }: Step): Promise<readonly [Expected, Expected]> {
  const access = pickFrom(model.accesses, pick);
  const isStrict = operation === 'strictVerify';
  const expected = isStrict ? model.strictVerify(access) : model.legacyVerify(access);
  const answer = await verify(client, access.token, { checkDatabase: isStrict }, { cdi: isStrict ? '5.6' : '5.4' });
  if (answer.accessToken) model.accesses.push({ token: answer.accessToken.token, refresh: access.refresh, parent: null });
  return [expected, { status: answer.status, mints: answer.accessToken !== undefined }];
}

let core: RunningCore;
withCore({ env: { TOKEN_THEFT_REVOKES: 'reference', REFRESH_TOKEN_ROTATION_GRACE_PERIOD: '300' } }, (started) => {
  core = started;
});

test('every course of a session goes as the model says', async () => {
  const client = cdiClient(core.url);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16, size: 'max' }), async (steps) => {
      const first = await create(client, 'model');
      const model = new Model(first.refresh, first.access);
      for (const one of steps) {
        const [expected, actual] = await (one.operation.endsWith('Refresh') ? refreshStep : verifyStep)(client, model, one);
        expect(actual).toEqual(expected);
      }
    }),
    { numRuns: 150, seed: 5_406 },
  );
}, 180_000);
