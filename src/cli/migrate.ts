import { MIGRATE, planMigrate } from '../transfer/migrate/migrate-plan.ts';
import { reportText } from '../transfer/migrate/report.ts';
import { runMigrate } from '../transfer/migrate/run-migrate.ts';
import { bind, EXIT } from './command.ts';
import { show } from './connection.ts';
import { confirm, readSecret } from './terminal.ts';

const QUESTION = 'This is the last pass: the old core must be stopped, all of its instances.';

/** `watchword migrate`. */
export const MIGRATE_COMMAND = bind(MIGRATE, async (line, terminal) => {
  const { print, screen, signal } = terminal;
  const plan = planMigrate(line, readSecret);
  if (plan.mode === 'finish' && !(await confirm(terminal, line.flags.yes, QUESTION))) return EXIT.failed;
  for (const warning of plan.loaded.warnings) screen.write(`${warning}\n`);
  const report = await runMigrate(plan, { screen, signal, now: () => Date.now() });
  if (screen.isTerminal) screen.write('\r\u001b[2K');
  show(line.flags, print, report, () => reportText(report));
  return EXIT.done;
});
