import { calibrate } from '../doctor/calibrate.ts';
import { checkRecords } from '../doctor/check-records.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { thisMachine } from '../doctor/machine.ts';
import { loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import { type Given, UsageError } from '../transfer/command-line.ts';
import { bind, EXIT } from './command.ts';
import { show } from './connection.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

const FLAGS = {
  'check-store': { doc: 'read the whole store and check it: pages, sums, and what leads to what' },
  calibrate: { value: 'MS', alone: '250', doc: 'measure password hashes, and advise costs that take at most so long (250)' },
  'data-dir': { value: 'DIR', doc: 'the data folder (that of the configuration)' },
  config: { value: 'FILE', doc: 'YAML file with the options of the core' },
  json: { doc: 'print findings or advice as JSON' },
  quiet: { doc: 'with --check-store: say nothing but what was found' },
} as const;

type DoctorFlags = Given<typeof FLAGS>;

/** What a time for a hash may be. */
const [LEAST_MS, MOST_MS] = [1, 10_000];

/** `watchword doctor`. */
export const DOCTOR_COMMAND = bind(
  {
    name: 'doctor',
    about: [
      'Looks at configuration, machine, permissions and store, and says what to do.',
      'Nothing is changed. The exit code is 0 where there is no problem, and 1 otherwise. Run it as the user of the core, with its environment.',
      'With --check-store it reads the whole store, also while a core runs on it; each finding is a line that names digests of keys, and nothing of what is stored.',
    ].join('\n'),
    examples: [
      'doctor --data-dir /data',
      'doctor --config /etc/watchword.yaml --json',
      'doctor --check-store --data-dir /data',
      'doctor --calibrate',
    ],
    flags: FLAGS,
  },
  async ({ flags }, terminal) => {
    if (flags.calibrate !== undefined) return runCalibrate(flags, flags.calibrate, terminal);
    return flags['check-store'] ? runCheckStore(flags, terminal) : runExamine(flags, terminal);
  },
);

/** The flags of the core among ours. */
const coreFlags = (flags: DoctorFlags): readonly string[] =>
  (['data-dir', 'config'] as const).flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]]));

async function runExamine(flags: DoctorFlags, { print }: Terminal): Promise<number> {
  const findings = await examine(coreFlags(flags), thisMachine(Date.now()));
  show(flags, print, findings, () => findingsText(findings));
  return findings.some(({ severity }) => severity === 'problem') ? EXIT.failed : EXIT.done;
}

function findingsText(findings: readonly Finding[]): string {
  const remedy = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);
  return table(
    ['what', 'is', 'because'],
    findings.flatMap((one) => [[one.check, one.severity, one.text], ...remedy(one.remedy).map((text) => [' ', ' ', `-> ${text}`])]),
  );
}

async function runCheckStore(flags: DoctorFlags, { print, screen, signal }: Terminal): Promise<number> {
  const { config } = loadConfig({ argv: coreFlags(flags), env: environment(), cwd: process.cwd(), serves: false });
  const quiet = flags.quiet ? { ...screen, write: () => undefined } : screen;
  const found = await checkRecords(config.data_dir, { screen: quiet, finding: (text) => print(`${text}\n`), signal });
  return found === 0 ? EXIT.done : EXIT.failed;
}

async function runCalibrate(flags: DoctorFlags, text: string, { print }: Terminal): Promise<number> {
  const wished = Number(text);
  if (!(wished >= LEAST_MS && wished <= MOST_MS)) throw new UsageError(`--calibrate must be a number from ${LEAST_MS} to ${MOST_MS}`);
  const advice = await calibrate(wished);
  show(flags, print, advice, () =>
    table(
      ['password_hashing_alg', 'options', 'takes', 'remark'],
      advice.map(({ parameters, ms, isLeast }) => [
        parameters.algorithm,
        parameters.algorithm === 'BCRYPT'
          ? `bcrypt_log_rounds: ${parameters.rounds}`
          : `argon2_memory_kb: ${parameters.memoryKb}, argon2_iterations: ${parameters.iterations}, argon2_parallelism: ${parameters.parallelism}`,
        `${ms.toFixed(0)} ms`,
        isLeast ? 'less would not be safe' : undefined,
      ]),
    ),
  );
  return EXIT.done;
}
