import { pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { webhooks, webhookStates } from './records.ts';

const PAGE = 100;

/** Up to where every enabled webhook has looked at the trail; undefined where there is none. */
export async function lowestCursor(store: Store): Promise<number | undefined> {
  let lowest: number | undefined;
  for await (const page of pagesOf((range) => store.read((reader) => reader.page(webhooks, undefined, { prefix: [], ...range })), PAGE)) {
    const enabled = page.filter(({ isEnabled }) => isEnabled);
    const states = await store.read((reader) =>
      reader.getMany(enabled.map(({ app, id }) => ({ collection: webhookStates, key: [app, id] as const }))),
    );
    for (const state of states) if (state) lowest = Math.min(lowest ?? state.cursor, state.cursor);
  }
  return lowest;
}
