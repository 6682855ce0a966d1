import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import type { components } from '../generated/api.ts';
import { place, placeQuery, PUBLIC } from '../app/place.ts';
import { linkTo } from '../app/route.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/numbers.ts';
import { PagedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useAnswer, useLive } from '../ui/use-answer.ts';
import { type Pages, usePages } from '../ui/use-pages.ts';

/** An event of the audit trail. */
type TrailEvent = components['schemas']['ManagementReadAuditAnswer']['events'][number];

/** Which events are wanted, as the endpoint takes it. */
export interface EventFilter {
  readonly userId?: string;
  readonly kind?: string[];
  readonly tenantId?: string;
  /** ms since the epoch */
  readonly since?: number;
  /** ms since the epoch */
  readonly until?: number;
  readonly everywhere?: boolean;
}

const T = TEXTS.audit;
const LIMIT = 50;
const LOOK_MS = 3_000;
/** More new ones are "500+". */
const MOST_NEW = 500;

/** Events by page, the newest first. */
function useEvents(filter: EventFilter): Pages<TrailEvent> {
  return usePages(
    async (paginationToken, signal) => {
      const query = { ...filter, limit: LIMIT, ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(core().GET('/manage/v1/audit', { params: { query }, signal }));
      return { rows: answer.events, next: answer.isMore ? answer.nextPaginationToken : undefined };
    },
    [JSON.stringify(filter)],
  );
}

/** How many events have come since the rows, at most `MOST_NEW`; looked for every few seconds. */
function useNewEvents(filter: EventFilter, rows: readonly TrailEvent[] | undefined): number {
  const newest = rows?.[0];
  const isLoaded = rows !== undefined;
  const { data = 0, reload } = useAnswer(
    async (signal) => {
      if (!isLoaded) return 0;
      const query = { ...filter, limit: MOST_NEW, ...(newest && { since: newest.at }) };
      const { events } = await ok(core().GET('/manage/v1/audit', { params: { query }, signal }));
      return newest ? events.filter(({ sequence }) => sequence > newest.sequence).length : events.length;
    },
    [JSON.stringify(filter), newest?.sequence, isLoaded],
  );
  useLive(reload, LOOK_MS);
  return data;
}

/** Where the user of an event is: with all apps shown, that is not always where the page is. */
function linkToUser({ connectionUriDomain, appId }: TrailEvent, userId: string): string {
  const isHere = connectionUriDomain === place.value.connectionUriDomain && appId === place.value.appId;
  const at = isHere ? place.value : { connectionUriDomain, appId, tenantId: PUBLIC };
  return linkTo('users', userId, { domain: '', app: '', tenant: '', ...placeQuery(at) });
}

/** Who did it, in words. */
const nameOfActor = ({ actor }: TrailEvent): string => [TEXTS.actors[actor.type], actor.name].filter(Boolean).join(' ');

const COLUMNS = [
  { head: T.when, cell: ({ at }: TrailEvent) => <Time ms={at} /> },
  { head: T.what, cell: (event: TrailEvent) => <What event={event} /> },
  { head: T.who, cell: nameOfActor },
  {
    head: T.user,
    cell: (event: TrailEvent) => event.userId !== undefined && <a href={linkToUser(event, event.userId)}>{event.userId}</a>,
  },
  { head: T.where, cell: ({ appId, tenantId }: TrailEvent) => [appId, tenantId].filter(Boolean).join(' / ') },
];

/** The kind, and on demand the rest of it. */
function What({ event }: { readonly event: TrailEvent }): JSX.Element {
  const { sequence, via, requestId, details, connectionUriDomain } = event;
  return (
    <details>
      <summary>{event.kind}</summary>
      <pre>{JSON.stringify({ sequence, via, requestId, connectionUriDomain, details }, undefined, 2)}</pre>
    </details>
  );
}

/** The events of a filter. New ones are counted, and shown when one asks, so that nothing jumps under writes. */
export function Events({ filter, empty }: { readonly filter: EventFilter; readonly empty: string }): JSX.Element {
  const pages = useEvents(filter);
  const news = useNewEvents(filter, pages.rows);
  const list = useRef<HTMLDivElement>(null);
  const show = (): void => {
    // The button goes: who works by keyboard goes on at the list.
    list.current?.focus();
    pages.reload();
  };
  return (
    <div ref={list} tabIndex={-1} class="list">
      <div class="news" role="status">
        {news > 0 && <Button onPress={show}>{T.newEvents(news < MOST_NEW ? count(news) : `${count(MOST_NEW)}+`)}</Button>}
      </div>
      <PagedTable caption={T.title} columns={COLUMNS} pages={pages} keyOf={({ id }) => id} empty={empty} />
    </div>
  );
}
