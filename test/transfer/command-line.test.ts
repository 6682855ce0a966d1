import { describe, expect, test } from 'vitest';
import { type CommandLine, UsageError } from '../../src/transfer/command-line.ts';
import { type IMPORT, type ImportPlan, planImport } from '../../src/transfer/import-plan.ts';
import { parsed } from '../cli/parsed.ts';

async function plan(argv: readonly string[], apiKey?: string): Promise<ImportPlan> {
  const line = await parsed('import', argv);
  return planImport(line as CommandLine<typeof IMPORT.flags>, apiKey);
}

describe('the command line of import', () => {
  test.each([
    [['f'], 'Say where to: either --url or --data-dir'],
    [['f', '--url', 'http://h', '--data-dir', 'd'], 'Say where to: either --url or --data-dir'],
    [['f', '--url', 'ftp://h'], '--url must be an http or https URL'],
    [['f', '--url', 'http://u:secret@h'], '--url must not hold a password or a query'],
    [['f', '--url', 'http://h?key=secret'], '--url must not hold a password or a query'],
    [['f', '--url', 'no url'], '--url must be an http or https URL'],
    [['f', '--url', 'http://h', '--keep-ids'], '--keep-ids goes with --data-dir only'],
    [['f', '--data-dir', 'd', '--api-key-file', 'k'], '--api-key-file goes with --url only'],
    [['f', '--data-dir', 'd', '--no-wait'], '--no-wait goes with --url only'],
    [['f', '--data-dir', 'd', '--batch', '0'], '--batch must be a whole number from 1 to 10000'],
    [['f', '--data-dir', 'd', '--batch', '1e3'], '--batch must be a whole number from 1 to 10000'],
    [['f', '--url', 'http://h', '--patience', '99999999'], '--patience must be a whole number from 1 to 86400'],
    [['f', '--data-dir', 'd', '--rejects', 'f'], 'FILE, --rejects and --state must be different files'],
    [['f', '--data-dir', 'd', '--rejects', 'r', '--state', './r'], 'FILE, --rejects and --state must be different files'],
  ])('%j is refused', async (argv, message) => {
    await expect(plan(argv)).rejects.toThrow(new UsageError(message));
  });

  test('files stand beside the imported one unless they are named', async () => {
    expect((await plan(['/a/f', '--data-dir', 'd'])).files).toEqual({ state: '/a/f.state', rejects: '/a/f.rejects.ndjson' });
    const named = await plan(['/a/f', '--data-dir', 'd', '--rejects', '/b/r', '--state', '/b/s']);
    expect(named.files).toEqual({ state: '/b/s', rejects: '/b/r' });
  });

  test('the API key goes with the address of the core', async () => {
    const keyOf = ({ into }: ImportPlan): string | undefined => (into.kind === 'core' ? into.address.apiKey : undefined);
    expect(keyOf(await plan(['f', '--url', 'http://h']))).toBeUndefined();
    expect(keyOf(await plan(['f', '--url', 'http://h'], 'k'))).toBe('k');
  });
});
