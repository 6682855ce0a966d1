import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GROUPS } from '../../src/cli/groups.ts';
import { PROJECT_ROOT } from '../running-core.ts';

/** Runs the built program to its end. */
function watchword(...words: string[]): { readonly code: number | null; readonly out: string; readonly err: string } {
  const env = { PATH: String(process.env['PATH']) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(PROJECT_ROOT, 'dist/src/cli.js'), ...words], {
    env,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

describe('help', () => {
  test.each([['--help'], ['-h'], ['help']])('%s lists every command', (word) => {
    const { code, out } = watchword(word);
    expect(code).toBe(0);
    for (const name of Object.keys(GROUPS)) expect(out).toContain(`\n  ${name}`);
    expect(out).toContain('\nExamples:\n  watchword start ');
  });

  test.each(Object.keys(GROUPS))('%s --help says what it does, with examples at every level', async (name) => {
    const loaded = await GROUPS[name]?.load();
    const { out } = watchword(name, '--help');
    expect(out).toContain(`\nExamples:\n  watchword ${name}`);
    expect(watchword('help', name).out).toBe(out);
    const ends = loaded && 'commands' in loaded ? loaded.commands.map(({ command }) => [name, command.name]) : [[name]];
    for (const words of ends) {
      const { code, out } = watchword(...words, '--help');
      expect(words[1] === ends[0]?.[1] ? watchword('help', ...words).out : out).toBe(out);
      expect(code, words.join(' ')).toBe(0);
      expect(out).toContain(`Usage: watchword ${words.join(' ')}`);
      expect(out).toContain('Examples:');
      expect(
        out.split('\n').filter((line) => line.startsWith('  watchword ') && !line.startsWith(`  watchword ${words.join(' ')}`)),
      ).toEqual([]);
    }
  });
});

describe('what is not understood', () => {
  test.each([
    [['strat'], "error: unknown command 'strat'\n(Did you mean start?)"],
    [['keys', 'lst'], "error: unknown command 'lst'\n(Did you mean list?)"],
    [['keys', 'list', '--jsn'], "error: unknown option '--jsn'\n(Did you mean --json?)"],
    [['import'], "error: missing required argument 'FILE'"],
    [['import', 'a', 'b'], 'error: too many arguments'],
    [['import', 'a', '--data-dir'], "error: option '--data-dir <DIR>' argument missing"],
    [['api-key', 'add', 'x', '--scope', 'root'], "argument 'root' is invalid"],
    [['api-key', 'add', 'x'], 'Say what it is good for: --scope'],
    [['keys', 'retire', 'd-1'], 'Add --yes to go on.'],
    [['tenant', 'remove', '', '--yes'], 'An argument is empty'],
    [['user', 'find', '--email', ''], 'The value of --email is empty'],
    [['tenant', 'put', 't1', '--set', ''], 'The value of --set is empty'],
    [['user', 'reset-link', 'x', '--base', 'page'], '--base must be a URL'],
    [['user', 'create', '--email', 'ann'], '--email must be an email'],
    [['user', 'create', '--phone', '0170'], '--phone must begin with +'],
    [['keys', 'list', '--url', 'ftp://x'], '--url must be an http or https URL'],
    [['keys', 'list', '--url', 'http://x', '--data-dir', 'y'], 'either --url or --data-dir'],
  ])('%j ends with 64 and says why', (words, text) => {
    const { code, out, err } = watchword(...words);
    expect([code, out]).toEqual([64, '']);
    expect(err).toContain(text);
  });
});

test('the version is that of the package', () => {
  expect(watchword('version')).toMatchObject({ code: 0, out: '0.1.0\n' });
  expect(JSON.parse(watchword('version', '--json').out)).toEqual({ version: '0.1.0' });
  expect(watchword('--version')).toMatchObject({ code: 0, out: '0.1.0\n' });
});

test.each(['bash', 'zsh', 'fish'])('completion %s knows commands, theirs, and flags', (shell) => {
  const { code, out } = watchword('completion', shell);
  expect(code).toBe(0);
  for (const word of ['api-key', 'rotate', '--api-key-file', '--data-dir']) expect(out).toContain(word);
});

test('bash completes with the script', () => {
  const script = watchword('completion', 'bash').out;
  const complete = (...words: string[]): string =>
    spawnSync(
      'bash',
      ['-c', `${script}\nCOMP_WORDS=(watchword ${words.join(' ')})\nCOMP_CWORD=${words.length}\n_watchword\necho "\${COMPREPLY[*]}"`],
      {
        encoding: 'utf8',
      },
    ).stdout.trim();
  expect(complete('api-k')).toBe('api-key');
  expect(complete('keys', 'ro')).toBe('rotate');
  expect(complete('keys', 'rotate', '--sta')).toBe('--static');
  expect(complete('user', 'remove', 'some-id', '--y')).toBe('--yes');
  expect(complete('role', 'put', 'admin', 'user', '--tena')).toBe('--tenant-id');
});

test('where no core answers, that is said', () => {
  const { code, err } = watchword('keys', 'list', '--url', 'http://127.0.0.1:9');
  expect(code).toBe(69);
  expect(err).toContain('No core answers at http://127.0.0.1:9/');
});
