import { type MigrateLine, type MigratePlan, planMigrate } from '../../../src/transfer/migrate/migrate-plan.ts';
import type { Report } from '../../../src/transfer/migrate/report.ts';
import { type MigrateParts, runMigrate } from '../../../src/transfer/migrate/run-migrate.ts';

/** Says nothing, to nobody. */
const NO_SCREEN: MigrateParts['screen'] = { isTerminal: false, width: () => 80, write: () => {}, now: () => performance.now() };

/** Moves within this process, so that a test can step in at a moment that it knows. */
export function migrateHere(
  { url: from }: { readonly url: string },
  to: string,
  config: string,
  { finish = false, ...parts }: Partial<MigrateParts> & { readonly finish?: boolean },
): Promise<Report> {
  const plan = planHere({ from, to, config, finish });
  return runMigrate(plan, { screen: NO_SCREEN, signal: new AbortController().signal, now: Date.now, ...parts });
}

type Flags = MigrateLine['flags'];

/** What is planned of some flags. */
export function planHere(given: Partial<Flags>): MigratePlan {
  const none = { 'from-password-file': undefined, 'to-password-file': undefined, 'config-out': undefined, 'accept-losses': undefined };
  const files = { from: undefined, to: undefined, config: undefined, losses: undefined, left: undefined, rest: undefined };
  const flags: Flags = { ...none, ...files, finish: false, rehearse: false, follow: false, yes: true, json: false, ...given };
  return planMigrate({ operands: [], flags }, () => '');
}
