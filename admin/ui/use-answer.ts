import { useCallback, useEffect, useState } from 'preact/hooks';
import { renewals } from './connection.ts';
import { isAttended } from './attended.ts';
import { messageOf } from './message.ts';

/** What a page asked for. `data` stays the last one while the next is on its way, so that nothing jumps. */
export interface Asked<T> {
  readonly data: T | undefined;
  /** In words for people. */
  readonly error: string | undefined;
  readonly isLoading: boolean;
  /** Asks again. */
  readonly reload: () => void;
}

/**
 * Asks when the page opens and whenever what it depends on changes; the answer to an older question never replaces that
 * to a newer one. @param ask gets a signal that aborts it
 */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, dependsOn: readonly unknown[]): Asked<T> {
  const [asked, setAsked] = useState<Omit<Asked<T>, 'reload'>>({ data: undefined, error: undefined, isLoading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setAsked((before) => ({ ...before, isLoading: true }));
    ask(abort.signal).then(
      (data) => !abort.signal.aborted && setAsked({ data, error: undefined, isLoading: false }),
      (error: unknown) => !abort.signal.aborted && setAsked(({ data }) => ({ data, error: messageOf(error), isLoading: false })),
    );
    return () => abort.abort();
  }, [...dependsOn, turn, renewals.value]);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  return { ...asked, reload };
}

/** Asks again every so often while somebody looks at the page. @param reload of `useAnswer` */
export function useLive(reload: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (isAttended()) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
}
