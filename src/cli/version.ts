import { productVersion } from '../config/product-version.ts';
import { bind, EXIT } from './command.ts';

/** The version of this program, as its package says. */
export const version = productVersion;

/** `watchword version`. */
export const VERSION = bind(
  { name: 'version', about: 'Prints the version.', examples: ['version'], flags: { json: { doc: 'print the answer as JSON' } } },
  async ({ flags }, { print }) => {
    print(flags.json ? `${JSON.stringify({ version: version() })}\n` : `${version()}\n`);
    return EXIT.done;
  },
);
