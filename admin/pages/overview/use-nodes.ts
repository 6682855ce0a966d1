import { useEffect, useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { BASE_PLACE } from '../../app/place.ts';
import { operator } from '../../app/session.ts';
import { isAttended } from '../../ui/attended.ts';
import { messageOf } from '../../ui/message.ts';
import { heard, NO_NODES, type Nodes, shown } from './nodes.ts';

const EVERY_MS = 2_000;

/** What the nodes said lately, and why the last question has no answer, if it has none. */
export interface Live {
  readonly nodes: Nodes;
  readonly error: string | undefined;
  readonly show: (id: string) => void;
}

/** Asks every two seconds while somebody looks, the next time when the answer to the last has come. */
export function useNodes(): Live {
  const [nodes, setNodes] = useState(NO_NODES);
  const [error, setError] = useState<string | undefined>();
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    const ask = async (): Promise<void> => {
      try {
        const overview = await ok(core(BASE_PLACE).GET('/manage/v1/overview', { signal: abort.signal }));
        setNodes((before) => heard(before, overview, performance.now()));
        setError(undefined);
      } catch (fault) {
        if (!abort.signal.aborted) setError(messageOf(fault));
      }
    };
    const turn = async (): Promise<void> => {
      if (isAsking || abort.signal.aborted) return;
      isAsking = true;
      clearTimeout(timer);
      if (isAttended() && operator.value) await ask();
      timer = setTimeout(() => void turn(), EVERY_MS);
      isAsking = false;
    };
    const onVisible = (): void => void turn();
    document.addEventListener('visibilitychange', onVisible);
    void turn();
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
  return { nodes, error, show: (id) => setNodes((before) => shown(before, id)) };
}
