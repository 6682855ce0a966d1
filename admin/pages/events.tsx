import type { JSX } from 'preact';
import { core, ok } from '../app/api.ts';
import type { components } from '../generated/api.ts';
import { linkTo } from '../app/route.ts';
import { TEXTS } from '../texts.ts';
import { PagedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { type Pages, usePages } from '../ui/use-pages.ts';

/** An event of the audit trail. */
export type TrailEvent = components['schemas']['ManagementReadAuditAnswer']['events'][number];

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

/** Events by page, the newest first. */
export function useEvents(filter: EventFilter): Pages<TrailEvent> {
  return usePages(
    async (paginationToken, signal) => {
      const query = { ...filter, limit: LIMIT, ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(core().GET('/manage/v1/audit', { params: { query }, signal }));
      return { rows: answer.events, next: answer.isMore ? answer.nextPaginationToken : undefined };
    },
    [JSON.stringify(filter)],
  );
}

/** Who did it, in words. */
const nameOfActor = ({ actor }: TrailEvent): string => [TEXTS.actors[actor.type], actor.name].filter(Boolean).join(' ');

const COLUMNS = [
  { head: T.when, cell: ({ at }: TrailEvent) => <Time ms={at} /> },
  { head: T.what, cell: (event: TrailEvent) => <What event={event} /> },
  { head: T.who, cell: nameOfActor },
  {
    head: T.user,
    cell: ({ userId }: TrailEvent) => userId !== undefined && <a href={linkTo('users', userId)}>{userId}</a>,
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

/** A table of events. */
export function EventTable({ pages }: { readonly pages: Pages<TrailEvent> }): JSX.Element {
  return <PagedTable caption={T.title} columns={COLUMNS} pages={pages} keyOf={({ id }) => id} empty={T.none} />;
}

/** The events of a filter. */
export function Events({ filter }: { readonly filter: EventFilter }): JSX.Element {
  return <EventTable pages={useEvents(filter)} />;
}
