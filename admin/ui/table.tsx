import type { ComponentChildren, JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { ErrorNote } from './states.tsx';
import type { Pages } from './use-pages.ts';

export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
}

interface TableProps<T> {
  /** Says what the table lists; read out, not seen. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/**
 * A table; on narrow screens each row becomes a card in which the head of a column stands before its cell. A link in the
 * first column is where `j` and `k` go.
 */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>): JSX.Element {
  const className = ({ isNumber }: Column<T>): string => (isNumber ? 'number' : '');
  return (
    <table class="table">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.head} scope="col" class={className(column)}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.head} data-head={column.head} class={className(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type PagedTableProps<T> = Omit<TableProps<T>, 'rows'> & {
  readonly pages: Pages<T>;
  /** What stands where there are no rows: why, and what to do next. */
  readonly empty: ComponentChildren;
};

/** A list that comes page by page, with a button for more. What moves while one reads on is shown once. */
export function PagedTable<T>({ pages, empty, ...table }: PagedTableProps<T>): JSX.Element {
  const { error, isLoading, more } = pages;
  const rows = pages.rows && [...new Map(pages.rows.map((row) => [table.keyOf(row), row])).values()];
  return (
    <div class="list" aria-busy={isLoading}>
      {error !== undefined && <ErrorNote text={error} retry={pages.reload} />}
      {rows !== undefined && rows.length > 0 && <Table {...table} rows={rows} />}
      {rows?.length === 0 && more === undefined && !isLoading && <div class="empty">{empty}</div>}
      {more && (
        <button type="button" onClick={more} disabled={isLoading}>
          {TEXTS.more}
        </button>
      )}
    </div>
  );
}
