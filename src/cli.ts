#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const HELP = `Usage: watchword [command] [options]

Commands:
  start      serve (the default); see "watchword start --help"
  import     import users from a file; see "watchword import --help"
  export     write the users of an app in the format that import reads; see "watchword export --help"
  doctor     check the store of a stopped or running core; see "watchword doctor --help"
  version    print the version
  help       print this text

Options of start, among others:
  --port N          TCP port (3567; 0 takes a free one)
  --host ADDRESS    address to listen on (localhost)
  --data-dir DIR    folder of the store (./data)
  --config FILE     YAML file with further options
  --test-mode       second-scale key intervals; never in production
`;

/** Exit code of a command line that was not understood. */
const USAGE_ERROR = 2;

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

/** What a command gets: all that stands behind its name. */
const behindName = (): string[] => process.argv.slice(2);

/** What each word on the command line does. `start` is the program itself, which reads the options that follow. */
const COMMANDS: Readonly<Record<string, () => unknown>> = {
  start: async () => {
    if (!behindName().some((word) => word === '--help' || word === '-h')) return import('./main.ts');
    const { startHelp } = await import('./config/start-help.ts');
    return process.stdout.write(startHelp());
  },
  import: async () => {
    const [{ run }, { runImport }] = await Promise.all([import('./transfer/run.ts'), import('./transfer/import-users.ts')]);
    await run('import', runImport, behindName());
  },
  export: async () => {
    const [{ run }, { runExport }] = await Promise.all([import('./transfer/run.ts'), import('./transfer/export-users.ts')]);
    await run('export', runExport, behindName());
  },
  doctor: async () => {
    const [{ run }, { runDoctor }] = await Promise.all([import('./transfer/run.ts'), import('./doctor.ts')]);
    await run('doctor', runDoctor, behindName());
  },
  version: () => process.stdout.write(`${version()}\n`),
  help: () => process.stdout.write(HELP),
};

const ALIASES: Readonly<Record<string, string>> = { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' };

const [, , first = 'start'] = process.argv;
const named = ALIASES[first] ?? first;
if (Object.hasOwn(COMMANDS, named)) process.argv.splice(2, 1);
const command = named.startsWith('-') ? 'start' : named;
const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
if (run) {
  await run();
} else {
  process.stderr.write(`watchword: there is no command "${named}"\n\n${HELP}`);
  process.exitCode = USAGE_ERROR;
}
