import { recordEvent } from '../recipes/audit/record-event.ts';
import { tellsOperators } from '../recipes/audit/silences.ts';
import type { Answer, Route } from '../recipes/route.ts';
import { addingStore } from '../store/fenced.ts';
import { type MaybePromise, whenReady } from '../store/maybe-promise.ts';
import type { Transaction } from '../store/store.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Handles a call. What an operator does is told in any case: where calls of back ends may tell nothing,
 * `operator.acted` is written in the first transaction of the call, or after a call that made none. A refused call
 * leaves nothing. Secrets are shown only after it is told that they were asked for.
 */
export function handleTold(route: Route, context: RequestContext, command: unknown): MaybePromise<Answer> {
  const handle = (): MaybePromise<Answer> => route.handle(context, command as never);
  if (!context.signedIn || !tellsOperators(route.silence) || !context.trail.isOn) return handle();
  const { store } = context;
  const tell = (tx: Transaction): MaybePromise<void> => recordEvent(tx, context, 'operator.acted', { at: context.address });
  if (route.silence === 'secrets') return store.transact(tell).then(handle);
  let isTold = false;
  const telling = addingStore(
    store,
    (tx) => (isTold ? undefined : tell(tx)),
    () => {
      isTold = true;
    },
  );
  context.useStore(telling);
  return whenReady(handle(), (answer) => (isTold ? answer : store.transact(tell).then(() => answer)));
}
