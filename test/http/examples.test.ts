import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Example } from '../../src/http/openapi/examples.ts';
import { withCore } from '../with-core.ts';
import { EXAMPLES, EXAMPLES_FILE } from './described.ts';
import { recordExamples } from './recorded-examples.ts';

/*
 * The examples of openapi.json are what a core answered: `RECORD_EXAMPLES=1 npx vitest run test/http/examples.test.ts` records them anew. That
 * they are what the schemas say is a matter of openapi-lint.test.ts; here they are compared with what a core answers now.
 */

let recorded: readonly Example[] = [];
withCore({ env: { HTTP_THREADS: '1' } }, async ({ url }) => {
  recorded = await recordExamples(url);
  if (process.env['RECORD_EXAMPLES'] === '1') writeFileSync(EXAMPLES_FILE, `${JSON.stringify(recorded, null, 2)}\n`);
});

/** What is compared: which members there are, and how it ended. */
const shapeOf = ({ status, answer }: Example): object =>
  typeof answer === 'object' && answer !== null
    ? { status, members: Object.keys(answer).toSorted(), outcome: (answer as { readonly status?: unknown }).status }
    : { status, isText: typeof answer };

describe('examples', () => {
  test('are what a core answers', () => {
    const shapes = (examples: readonly Example[]): object => Object.fromEntries(examples.map((example) => [example.of, shapeOf(example)]));
    expect(shapes(recorded), 'record the examples anew').toEqual(shapes(EXAMPLES));
  });

  test('hold nothing that was drawn by chance or read from a clock', () => {
    const text = JSON.stringify(EXAMPLES);
    expect(text).not.toMatch(/0\.\d{6,}|\/tmp\/|127\.0\.0\.1:\d/);
    const uuids = [...text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g)].map(([uuid]) => uuid);
    expect(uuids.filter((uuid) => !uuid.startsWith('00000000-'))).toEqual([]);
  });
});
