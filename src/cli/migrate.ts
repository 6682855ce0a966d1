import { keptAsideIn, MIGRATE, planMigrate } from '../transfer/migrate/migrate-plan.ts';
import { readRest, restText } from '../transfer/migrate/read-rest.ts';
import { reportText } from '../transfer/migrate/report.ts';
import { type Rehearsal, rehearse } from '../transfer/migrate/rehearse.ts';
import { runMigrate } from '../transfer/migrate/run-migrate.ts';
import { count } from '../transfer/progress.ts';
import { bind, EXIT } from './command.ts';
import { show } from './connection.ts';
import { confirm, readSecret } from './terminal.ts';

const QUESTION = 'This is the last pass: the old core must be stopped, all of its instances.';

/** `watchword migrate`. */
export const MIGRATE_COMMAND = bind(MIGRATE, async (line, terminal) => {
  const { print, screen, signal } = terminal;
  const rest = keptAsideIn(line);
  if (rest !== undefined) {
    const held = await readRest(rest);
    show(line.flags, print, held, () => restText(held));
    return EXIT.done;
  }
  const plan = planMigrate(line, readSecret);
  if (plan.mode === 'finish' && !(await confirm(terminal, line.flags.yes, QUESTION))) return EXIT.failed;
  for (const warning of plan.loaded.warnings) screen.write(`${warning}\n`);
  const parts = { screen, signal, now: () => Date.now() };
  if (plan.mode === 'rehearse') {
    const rehearsal = await rehearse(plan, parts);
    show(line.flags, print, rehearsal, () => reportText(rehearsal) + rehearsalText(rehearsal, plan.files.losses));
    return rehearsal.losses + rehearsal.differences.length > 0 ? EXIT.inPart : EXIT.done;
  }
  const report = await runMigrate(plan, parts);
  show(line.flags, print, report, () => reportText(report));
  return EXIT.done;
});

function rehearsalText({ losses, compared, differences, secondsAgain }: Rehearsal, file: string): string {
  const all = Object.values(compared).reduce((sum, number) => sum + number, 0);
  return [
    `A core on the copy was asked about ${count(all)} things of ${Object.keys(compared).length} kinds: ${count(differences.length)} differ.`,
    ...differences,
    losses === 0 ? 'Nothing is lost.' : `${count(losses)} rows cannot be moved; ${file} lists them.`,
    `A second pass took ${secondsAgain.toFixed(1)} s: so long is the last one at least, with the old core stopped.`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}
