import { mapPages, pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { movePieces, type PieceRecord } from './records.ts';
import { writeLines } from './write-lines.ts';

const PIECES_AT_ONCE = 100;

/** Names rows that are left behind, and those of which something is to be known. @returns how many */
export async function writeNoted(file: string, store: Store): Promise<number> {
  const pages = pagesOf((page) => store.read((reader) => reader.page(movePieces, 'withNoted', { prefix: [], ...page })), PIECES_AT_ONCE);
  return writeLines(file, flat(mapPages(pages, linesOf)));
}

async function* flat(pages: AsyncIterable<readonly (readonly string[])[]>): AsyncGenerator<readonly string[], undefined> {
  for await (const page of pages) yield page.flat();
}

const linesOf = ({ storage, noted }: PieceRecord): readonly string[] =>
  noted.map(([table, app, tenant, id, why]) => `${JSON.stringify({ storage, table, app, tenant, id, why })}\n`);
