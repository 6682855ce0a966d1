import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { renewals } from './connection.ts';
import { messageOf } from './message.ts';

/** A page of a list, as the core answers it. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/** A list that grows by pages. */
export interface Pages<T> {
  /** Undefined before the first page has come. */
  readonly rows: readonly T[] | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
  /** Loads the next page; undefined at the end. */
  readonly more: (() => void) | undefined;
  readonly reload: () => void;
}

interface Loaded<T> {
  readonly rows: readonly T[] | undefined;
  readonly next: string | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
}

const NOTHING = { rows: undefined, next: undefined, error: undefined, isLoading: true };

type Load<T> = (token: string | undefined, signal: AbortSignal) => Promise<Page<T>>;

/**
 * The list from its beginning whenever what it depends on changes. The rows that were there stay until the new ones come.
 * @param load answers the page that begins at a token
 */
export function usePages<T>(load: Load<T>, dependsOn: readonly unknown[]): Pages<T> {
  const [list, setList] = useState<Loaded<T>>(NOTHING);
  const [turn, setTurn] = useState(0);
  const latest = useRef(new AbortController());
  const fetchPage = (token: string | undefined, before: readonly T[]): void => {
    latest.current.abort();
    const abort = new AbortController();
    latest.current = abort;
    setList((kept) => ({ ...kept, error: undefined, isLoading: true }));
    load(token, abort.signal).then(
      ({ rows, next }) => !abort.signal.aborted && setList({ rows: [...before, ...rows], next, error: undefined, isLoading: false }),
      (error: unknown) => !abort.signal.aborted && setList((kept) => ({ ...kept, error: messageOf(error), isLoading: false })),
    );
  };
  useEffect(() => {
    fetchPage(undefined, []);
    return () => latest.current.abort();
  }, [...dependsOn, turn, renewals.value]);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const { rows, next, error, isLoading } = list;
  return { rows, error, isLoading, reload, more: next === undefined ? undefined : () => fetchPage(next, rows ?? []) };
}
