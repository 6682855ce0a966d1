import { readFileSync } from 'node:fs';
import { bind, EXIT } from './command.ts';

/** The version of this program, as its package says. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

/** `watchword version`. */
export const VERSION = bind(
  { name: 'version', about: 'Prints the version.', examples: ['version'], flags: {} },
  async (_line, { print }) => {
    print(`${version()}\n`);
    return EXIT.done;
  },
);
