import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The names `<file> › <title>` of all scenarios in a conformance folder, in the order in which they are played. */
export async function listScenarios(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  const directory = join(folder, 'scenarios');
  const files = readdirSync(directory).filter((file) => file.endsWith('.mjs'));
  for (const file of files.toSorted()) {
    const loaded: { readonly default: object } = await import(/* @vite-ignore */ pathToFileURL(join(directory, file)).href);
    names.push(...Object.keys(loaded.default).map((title) => `${file} › ${title}`));
  }
  return names;
}
