import { expect, test } from 'vitest';
import { LIMITS } from '../../src/config/limits.ts';
import { configurationMarkdown } from './configuration-page.ts';
import { MAX_JSON_DEPTH, MAX_NUMBER_CHARS } from '../../src/json/free-form.ts';

// `npx vitest run test/config -u` writes the page anew.
test('docs/configuration.md says what the option table says', async () => {
  await expect(configurationMarkdown()).toMatchFileSnapshot('../../docs/configuration.md');
});

test('the limits of JSON are those in the list of limits', () => {
  expect(LIMITS.jsonDepth).toBe(MAX_JSON_DEPTH);
  expect(LIMITS.numberChars).toBe(MAX_NUMBER_CHARS);
});
