import { describe, expect, it } from 'vitest';
import { flagName, OPTION_NAMES } from '../../src/config/options.ts';
import { mayBeFlag } from '../../src/config/secret-flags.ts';
import { watchword } from './program.ts';

describe('the watchword command', () => {
  it('prints its version and its help', async () => {
    expect(await watchword(['version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(await watchword(['help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: watchword') });
  });

  it.each(['--help', '-h'])('start %s lists every option and starts nothing', async (flag) => {
    const { code, stdout, stderr } = await watchword(['start', flag]);
    expect([code, stderr]).toEqual([0, '']);
    for (const name of OPTION_NAMES.filter(mayBeFlag)) expect(stdout).toContain(`\n  --${flagName(name)} `);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(140);
  });

  it('ends with code 64 on a command it does not have', async () => {
    expect(await watchword(['fly'])).toMatchObject({ code: 64, stderr: expect.stringContaining("unknown command 'fly'") });
  });

  it('starts by default and by name', async () => {
    for (const words of [[], ['start']]) {
      const ended = await watchword([...words, '--port', 'many']);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain('port');
    }
  });
});
