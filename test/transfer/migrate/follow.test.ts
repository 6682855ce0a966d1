import { describe, expect, test } from 'vitest';
import { startCore } from '../../running-core.ts';
import { watchword } from '../program.ts';
import { freshFolder, hasReference, migrate, oldConfig, play, referenceDatabase, FINISHED } from './reference.ts';

const LONG_MS = 120_000;

describe.skipIf(!hasReference)('a move that follows what changes', { timeout: LONG_MS }, () => {
  test('brings it pass by pass, ends a pass when it is told to stop, and goes on after it was killed', async () => {
    const source = referenceDatabase();
    const folder = freshFolder();
    const to = `${folder}/data`;
    const config = oldConfig(folder);
    const args = ['migrate', '--from', source.url, '--to', to, '--config', config, '--follow'];
    const passes = (said: string): number => [...said.matchAll(/A pass took [\d.]+ s and moved (\d[\d,]*) pieces/g)].length;
    let changes = 0;
    const change = (): void => {
      changes += 1;
      source.sql(`INSERT INTO user_metadata VALUES ('public', 'during-${changes}', '{"change":${changes}}')`);
    };
    const killed = await watchword(args, {
      end: {
        when: (said) => {
          if (passes(said) === changes + 1) change();
          return changes === 2;
        },
        signal: 'SIGKILL',
      },
    });
    expect(killed.code).toBeNull();
    let told = 0;
    const stopped = await watchword(args, {
      end: {
        when: (said) => {
          told = passes(said);
          return told === 2;
        },
        signal: 'SIGINT',
      },
    });
    expect([stopped.code, stopped.stdout]).toEqual([0, expect.stringContaining('session_info')]);
    expect(passes(stopped.stderr)).toBeGreaterThanOrEqual(told);
    change();
    source.sql(`DELETE FROM user_metadata WHERE user_id = 'during-1'`);
    expect(await migrate(source.url, to, config, '--finish', '--yes')).toMatchObject(FINISHED);
    const core = await startCore({ dataDir: to });
    try {
      const metadataOf = async (user: string): Promise<unknown> =>
        (await fetch(`${core.url}/recipe/user/metadata?userId=${user}`, { headers: { 'cdi-version': '5.4' } })).json();
      expect(await metadataOf('during-1')).toEqual({ status: 'OK', metadata: {} });
      expect(await metadataOf('during-2')).toEqual({ status: 'OK', metadata: { change: 2 } });
      expect(await metadataOf('during-3')).toEqual({ status: 'OK', metadata: { change: 3 } });
    } finally {
      await core.stop();
    }
    expect(await play(to, `${to}/config.yaml`, {}, '--only', 'metadata')).toEqual([]);
  });
});
