// `npm start -- [options]`: builds when the sources are newer than dist/, then runs `watchword start` in this process.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const compiler = new URL('../node_modules/typescript/package.json', import.meta.url);
const program = new URL('../dist/src/cli.js', import.meta.url);

// An installation without development packages runs what was built for it.
if (existsSync(compiler)) {
  const { build } = await import('./build.mjs');
  try {
    await build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
process.argv.splice(1, 1, fileURLToPath(program), 'start');
await import(program.href);
