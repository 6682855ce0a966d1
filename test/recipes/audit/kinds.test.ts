import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KINDS } from '../../../src/recipes/audit/kinds.ts';
import { PROJECT_ROOT } from '../../running-core.ts';

test('docs/audit.md lists every kind of event as the table of kinds tells it', () => {
  const page = readFileSync(join(PROJECT_ROOT, 'docs', 'audit.md'), 'utf8');
  const listed = page.split('\n').filter((line) => /^\| `[a-z-]+\.[a-z-]+` \|/.test(line));
  expect(listed).toEqual(Object.entries(KINDS).map(([name, { of, doc }]) => `| \`${name}\` | ${of} | ${doc} |`));
});
