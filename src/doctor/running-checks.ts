import type { LoadedConfig } from '../config/config.ts';
import type { LastBackup } from '../jobs/scheduled-backups.ts';
import type { JobState, Warning } from '../recipes/overview.ts';
import { checkBackups, checkOpenAddress } from './access-checks.ts';
import { note, ok, problem, type Severity, type Verdict, warning } from './finding.ts';
import type { Machine } from './machine.ts';
import { FOLDER_CHECKS, PROCESS_CHECKS } from './machine-checks.ts';
import { trailVerdicts } from './store-checks.ts';

/* What a running core finds wrong with itself: what the doctor looks at, as far as it costs nothing, and more. */

/** What a running core knows of itself. */
export interface RunningFacts {
  /** In force. */
  readonly loaded: LoadedConfig;
  readonly machine: Machine;
  /** Whether the store is in a folder. */
  readonly isInFolder: boolean;
  /** The newest one on the schedule. */
  readonly lastBackup: LastBackup | undefined;
  /** API keys in the store; undefined where it cannot be read. */
  readonly keptKeys: number | undefined;
  /** Whether something older is in force than what it was last told to take over. */
  readonly wasReloadRefused: boolean;
  /** Whether the store takes no writes. */
  readonly isBlocked: boolean;
  readonly auditLagMs: number;
  readonly jobs: readonly JobState[];
  readonly deadLetters: number;
}

type RunningCheck = (facts: RunningFacts) => readonly Verdict[];

const SEE_LOG = 'look for "a job failed" in the log; it is tried again after its interval';

const checkReload: RunningCheck = ({ wasReloadRefused }) =>
  wasReloadRefused ? [problem('the last reload was refused: an older configuration is in force', 'the log says what is wrong')] : [];

const checkStore: RunningCheck = ({ isBlocked, keptKeys }) => {
  const remedy = 'the log has the reason; see "When something breaks" in docs/operations.md';
  if (isBlocked) return [problem('the store takes no writes', remedy)];
  return [keptKeys === undefined ? problem('the store cannot be read', remedy) : ok('the store takes writes')];
};

const checkJobs: RunningCheck = ({ jobs }) =>
  jobs.flatMap(({ name, state, fault }) => (state === 'failed' ? [warning(`the job "${name}" failed: ${fault}`, SEE_LOG)] : []));

const checkWebhooks: RunningCheck = ({ deadLetters }) =>
  deadLetters === 0 ? [] : [warning(`${deadLetters} messages to webhooks were given up`, 'repair their targets, then replay them')];

type MachineCheck = (config: LoadedConfig['config'], machine: Machine) => readonly Verdict[];

const onMachine = (checks: Readonly<Record<string, MachineCheck>>): readonly (readonly [string, RunningCheck])[] =>
  Object.entries(checks).map(([name, check]) => [name, ({ loaded, machine }) => check(loaded.config, machine)]);

/** Of every core, by their names, which the answers bear as codes. */
const CHECKS: readonly (readonly [string, RunningCheck])[] = [
  ['store', checkStore],
  ['api keys', ({ loaded, keptKeys }) => checkOpenAddress(loaded, keptKeys)],
  ['reload', checkReload],
  ['configuration', ({ loaded }) => loaded.warnings.map((line) => note(line, 'see docs/configuration.md'))],
  ...onMachine(PROCESS_CHECKS),
  ['audit trail', ({ loaded, auditLagMs }) => trailVerdicts(loaded.config, auditLagMs)],
  ['jobs', checkJobs],
  ['webhooks', checkWebhooks],
];

/** Of those whose store is a folder: a database has a disk and backups of its own. */
const FOLDER_STORE_CHECKS: readonly (readonly [string, RunningCheck])[] = [
  ...onMachine(FOLDER_CHECKS),
  ['backups', ({ loaded, machine, lastBackup }) => checkBackups(loaded, machine.now, lastBackup)],
];

const WORST_FIRST = ['problem', 'warning', 'note'] as const satisfies readonly Severity[];

/** All that is not as it should be, the worst first. */
export function warningsOf(facts: RunningFacts): readonly Warning[] {
  const checks = facts.isInFolder ? [...CHECKS, ...FOLDER_STORE_CHECKS] : CHECKS;
  const found = checks.flatMap(([name, look]) => look(facts).map((verdict) => ({ ...verdict, code: name.replaceAll(' ', '-') })));
  return WORST_FIRST.flatMap((severity) =>
    found.filter((verdict) => verdict.severity === severity).map(({ code, text, remedy = '' }) => ({ code, severity, text, remedy })),
  );
}
