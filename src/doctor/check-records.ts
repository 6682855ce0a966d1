import { leases } from '../jobs/runner.ts';
import { COLLECTIONS } from '../recipes/recipes.ts';
import type { CheckCount } from '../store/check-store.ts';
import type { AnyCollection } from '../store/collection.ts';
import { checkStored } from '../store/open-store.ts';
import { planFolder } from '../store/plan.ts';
import { MOVE_COLLECTIONS } from '../transfer/migrate/records.ts';
import { count, duration, type Screen } from '../transfer/progress.ts';

/** All that a store may hold. */
export const STORED: readonly AnyCollection[] = [...COLLECTIONS, leases, ...MOVE_COLLECTIONS];

/** A terminal is written to so often at most, anything else so seldom. */
const TERMINAL_MS = 100;
const LINE_MS = 5_000;

/** What a check of the records tells, and whom. */
export interface RecordsCheck {
  readonly screen: Screen;
  /** One line for each finding; it names digests of keys, and nothing of what is stored. */
  readonly finding: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a whole store and checks it, also while a core runs on the folder: pages, sums, and that records and index
 * entries lead to each other. Nothing is changed.
 * @returns how much was found
 * @throws Error where there is no store, or it cannot be opened
 */
export async function checkRecords(folder: string, { screen, finding, signal }: RecordsCheck): Promise<number> {
  let found = 0;
  const begun = screen.now();
  const report = {
    finding: (text: string) => {
      found += 1;
      finding(text);
    },
    progress: progressOn(screen, 'entries checked'),
  };
  const checked = await checkStored(planFolder(folder), STORED, report, signal);
  screen.write(`${screen.isTerminal ? '\r' : ''}${summary(checked, found, (screen.now() - begun) / 1000)}\n`);
  return found;
}

function summary(checked: CheckCount | undefined, found: number, seconds: number): string {
  const findings = found === 0 ? 'nothing was found' : `${count(found)} ${found === 1 ? 'finding' : 'findings'}`;
  if (!checked) return `Pages of the database are damaged, so that its records were not looked at: ${findings}.`;
  const { records, indexEntries, withoutSum } = checked;
  const old = withoutSum === 0 ? '' : `, ${count(withoutSum)} of them without a sum, from an older version`;
  return `${count(records)} records and ${count(indexEntries)} index entries were checked in ${duration(seconds)}${old}: ${findings}.`;
}

/** Tells now and then how far something is. @param what behind the numbers */
export function progressOn({ isTerminal, now, write }: Screen, what: string): (done: number, total: number | undefined) => void {
  let written = isTerminal ? Number.NEGATIVE_INFINITY : now();
  return (done, total) => {
    if (now() - written < (isTerminal ? TERMINAL_MS : LINE_MS)) return;
    written = now();
    const text = `${count(done)}${total === undefined ? '' : ` of ${count(total)}`} ${what}`;
    write(isTerminal ? `\r${text}` : `${text}\n`);
  };
}
