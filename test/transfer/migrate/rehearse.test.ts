import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCore } from '../../running-core.ts';
import { Session, SuperTokens } from '../../sdk/express-app.ts';
import { watchword } from '../program.ts';
import { expected, freshFolder, hasReference, migrate, oldConfig, referenceDatabase } from './reference.ts';

const LONG_MS = 120_000;

interface Rehearsal {
  readonly losses: number;
  readonly differences: readonly string[];
  readonly compared: Readonly<Record<string, number>>;
}

describe.skipIf(!hasReference)('rehearsals', { timeout: LONG_MS }, () => {
  test.each([12, 11, 10, 9, 7, 6] as const)('a core on what core %i left answers as the old one, and nothing stays', async (core) => {
    const { url } = referenceDatabase(core);
    const folder = freshFolder();
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('watchword-rehearsal-'));
    const losses = join(folder, 'losses.ndjson');
    const files = ['--losses', losses, '--left', join(folder, 'left.ndjson')];
    const args = ['migrate', '--from', url, '--config', oldConfig(folder), '--rehearse', '--json', ...files];
    const { code, stdout, stderr } = await watchword(args);
    expect([code, stderr]).toEqual([0, '']);
    const rehearsal = JSON.parse(stdout) as Rehearsal;
    expect([rehearsal.losses, rehearsal.differences]).toEqual([0, []]);
    expect(rehearsal.compared).toMatchObject({ sessions: expect.any(Number), 'users in emailpassword_users': expect.any(Number) });
    expect(Object.values(rehearsal.compared).reduce((sum, number) => sum + number, 0)).toBeGreaterThan(100);
    expect(existsSync(losses)).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('watchword-rehearsal-'))).toEqual(before);
  });
});

describe.skipIf(!hasReference)('an application that goes on', { timeout: LONG_MS }, () => {
  test('with the tokens that the old core gave its SDK', async () => {
    const { url } = referenceDatabase();
    const folder = freshFolder();
    const to = join(folder, 'data');
    expect(await migrate(url, to, oldConfig(folder), '--finish', '--yes')).toMatchObject({ code: 0 });
    const tokens = tokensOf('session 18 ');
    const core = await startCore({ dataDir: to, flags: ['--config', join(to, 'config.yaml')] });
    try {
      SuperTokens.init({
        framework: 'express',
        supertokens: { connectionURI: core.url },
        appInfo: { appName: 'moved', apiDomain: 'http://localhost', websiteDomain: 'http://localhost' },
        recipeList: [Session.init({ getTokenTransferMethod: () => 'header' })],
      });
      const session = await Session.getSessionWithoutRequestResponse(tokens.access, undefined, {
        antiCsrfCheck: false,
        checkDatabase: true,
      });
      const refreshed = await Session.refreshSessionWithoutRequestResponse(tokens.refresh, true);
      expect(refreshed.getHandle()).toBe(session.getHandle());
      expect(refreshed.getUserId()).toBe(session.getUserId());
      const next = refreshed.getAllSessionTokensDangerously();
      expect((await Session.getSessionWithoutRequestResponse(next.accessToken, undefined, { antiCsrfCheck: false })).getHandle()).toBe(
        session.getHandle(),
      );
      await refreshed.revokeSession();
    } finally {
      await core.stop();
    }
  });
});

/** The tokens that a client of a check holds before it does anything. */
function tokensOf(check: string): { readonly access: string; readonly refresh: string } {
  const steps = expected().checks.find(({ name }) => name.startsWith(check))?.steps ?? [];
  const find = (member: string): string => {
    for (const step of steps) {
      const body = (step as { readonly body?: Readonly<Record<string, unknown>> }).body ?? {};
      const value = body[member];
      if (typeof value === 'string' && !value.startsWith('{{')) return value;
    }
    throw new Error(`the check ${check} has no ${member}`);
  };
  return { access: find('accessToken'), refresh: find('refreshToken') };
}
