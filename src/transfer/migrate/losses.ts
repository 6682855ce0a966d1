import { readFileSync } from 'node:fs';
import { pagesFrom, pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { MigrateFault } from './fault.ts';
import { type Loss, movePieces } from './records.ts';
import { writeLines } from './write-lines.ts';

const PAGE = 100;

/** All rows that cannot be moved, as of the last pass. */
export async function lossesIn(store: Store): Promise<readonly Loss[]> {
  const losses: Loss[] = [];
  const pages = pagesOf((page) => store.read((reader) => reader.page(movePieces, 'withLosses', { prefix: [], ...page })), PAGE);
  for await (const page of pages) for (const piece of page) losses.push(...piece.losses);
  return losses;
}

/** Lists rows that cannot be moved, one JSON object a line; without any there is no file. */
export async function writeLosses(file: string, losses: readonly Loss[]): Promise<void> {
  await writeLines(file, pagesFrom(losses.map((loss) => `${JSON.stringify(loss)}\n`)));
}

const nameOf = ({ table, app, tenant, id, reason }: Loss): string => JSON.stringify([table, app, tenant, id, reason]);

/** @throws MigrateFault where a row cannot be moved that the operator has not accepted to lose */
export function refuseLosses(losses: readonly Loss[], accepted: ReadonlySet<string>, file: string): void {
  const refused = losses.filter((loss) => !accepted.has(nameOf(loss)));
  const [first] = refused;
  if (!first) return;
  throw new MigrateFault(
    `${refused.length} ${refused.length === 1 ? 'row' : 'rows'} cannot be moved, such as ${first.table} ${first.id}: ${first.reason}. ` +
      `${file} lists them with what helps; to go on without them, --accept-losses ${file}`,
  );
}

/** The losses that a file lists, by names. @throws MigrateFault */
export function acceptedIn(file: string): ReadonlySet<string> {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return new Set(lines.map((line) => nameOf(JSON.parse(line) as Loss)));
  } catch (error) {
    throw new MigrateFault(`The file of --accept-losses cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
