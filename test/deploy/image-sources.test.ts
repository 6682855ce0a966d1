import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SINGLE_FILES, SOURCES } from '../../scripts/build.mjs';
import { PROJECT_ROOT } from '../running-core.ts';

/* An image is built from copies: what the build reads and the Dockerfile does not copy fails only where images are made. */

const linesOf = (file: string): readonly string[] => readFileSync(join(PROJECT_ROOT, file), 'utf8').split('\n');
const copied = linesOf('Dockerfile').flatMap((line) => /^COPY (?!--)(.*) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
const sent = linesOf('.dockerignore').flatMap((line) => /^!(.*)$/.exec(line)?.[1] ?? []);

test.each([...SOURCES, ...SINGLE_FILES])('%s is sent to the builder and copied', (path) => {
  const isIn = (places: readonly string[]): boolean => places.some((place) => path === place || path.startsWith(`${place}/`));
  expect([isIn(sent), isIn(copied)]).toEqual([true, true]);
});
