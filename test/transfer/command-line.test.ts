import { describe, expect, test } from 'vitest';
import { helpOf, readCommandLine, UsageError } from '../../src/transfer/command-line.ts';
import { IMPORT, type ImportPlan, planImport } from '../../src/transfer/import-plan.ts';

function plan(argv: readonly string[], env: Readonly<Record<string, string>> = {}): ImportPlan {
  const line = readCommandLine(IMPORT, argv);
  if (line === 'help') throw new Error('help was not asked for');
  return planImport(line, env);
}

describe('the command line of import', () => {
  test.each([
    [[], 'Name the file to import, or - for standard input'],
    [['f'], 'Say where to: either --url or --data-dir'],
    [['f', '--url', 'http://h', '--data-dir', 'd'], 'Say where to: either --url or --data-dir'],
    [['f', 'g', '--url', 'http://h'], 'Only one file can be named, not "f" and "g"'],
    [['f', '--url', 'ftp://h'], '--url must be an http or https URL'],
    [['f', '--url', 'http://u:secret@h'], '--url must not hold a password or a query'],
    [['f', '--url', 'http://h?key=secret'], '--url must not hold a password or a query'],
    [['f', '--url', 'no url'], '--url must be an http or https URL'],
    [['f', '--url', 'http://h', '--keep-ids'], '--keep-ids goes with --data-dir only'],
    [['f', '--data-dir', 'd', '--api-key', 'k'], '--api-key goes with --url only'],
    [['f', '--data-dir', 'd', '--no-wait'], '--no-wait goes with --url only'],
    [['f', '--data-dir', 'd', '--batch', '0'], '--batch must be a whole number from 1 to 10000'],
    [['f', '--data-dir', 'd', '--batch', '1e3'], '--batch must be a whole number from 1 to 10000'],
    [['f', '--url', 'http://h', '--patience', '99999999'], '--patience must be a whole number from 1 to 86400'],
    [['f', '--bar'], "Unknown option '--bar'"],
    [['f', '--data-dir'], "Option '--data-dir <value>' argument missing"],
    [['f', '--quiet=1', '--data-dir', 'd'], "Option '--quiet' does not take an argument"],
    [['f', '--data-dir', 'd', '--rejects', 'f'], 'FILE, --rejects and --state must be different files'],
    [['f', '--data-dir', 'd', '--rejects', 'r', '--state', './r'], 'FILE, --rejects and --state must be different files'],
  ])('%j is refused', (argv, message) => {
    expect(() => plan(argv)).toThrow(new UsageError(message));
  });

  test('files stand beside the imported one unless they are named', () => {
    expect(plan(['/a/f', '--data-dir', 'd']).files).toEqual({ state: '/a/f.state', rejects: '/a/f.rejects.ndjson' });
    const named = plan(['/a/f', '--data-dir', 'd', '--rejects', '/b/r', '--state', '/b/s']);
    expect(named.files).toEqual({ state: '/b/s', rejects: '/b/r' });
  });

  test('the API key comes from the environment, unless a flag names one', () => {
    const keyOf = ({ into }: ImportPlan): string | undefined => (into.kind === 'core' ? into.address.apiKey : undefined);
    const env = { WATCHWORD_API_KEY: 'from-env' };
    expect(keyOf(plan(['f', '--url', 'http://h']))).toBeUndefined();
    expect(keyOf(plan(['f', '--url', 'http://h'], env))).toBe('from-env');
    expect(keyOf(plan(['f', '--url', 'http://h', '--api-key', 'k'], env))).toBe('k');
  });

  test('help names every flag', () => {
    expect(readCommandLine(IMPORT, ['--help'])).toBe('help');
    expect(readCommandLine(IMPORT, ['f', '-h'])).toBe('help');
    const help = helpOf(IMPORT);
    for (const name of Object.keys(IMPORT.flags)) expect(help).toContain(`  --${name}`);
    expect(help.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });
});
