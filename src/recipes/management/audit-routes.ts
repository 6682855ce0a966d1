import type { SealedEvent } from '../audit/event.ts';
import type { Place } from '../audit/verify-trail.ts';
import { type Route, route } from '../route.ts';
import { readAudit } from './read-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const eventView = ({ actor, details, ...event }: SealedEvent) => ({
  ...event,
  actor: { ...actor },
  ...(details && { details: { ...details } }),
});

const placeText = ({ number, hash }: Place): string => `${number}:${hash}`;

/** The audit trail. Its rows need no app: the trail of a removed one stays. */
export const AUDIT_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/manage/v1/audit',
    scope: 'none',
    needs: 'read',
    input: 'management/read-audit',
    summary: 'Who changed what and when, page by page',
    run: readAudit,
    view: ({ events, position, isMore, isNewestFirst }) => ({
      json: {
        status: 'OK',
        events: events.map(eventView),
        isMore,
        // From the oldest on, a page that ends at the newest event is where the next one begins.
        ...((isMore || !isNewestFirst) && { nextPaginationToken: String(position) }),
      },
    }),
  }),
  route({
    method: 'GET',
    path: '/manage/v1/audit/verify',
    scope: 'none',
    needs: 'read',
    input: 'management/verify-audit',
    summary: 'Whether events were changed, removed or put elsewhere since they were sealed, piece by piece',
    run: verifyAudit,
    view: ({ piece: { from, to, isWhole, finding }, tail, passes }) => ({
      json: {
        status: finding ? 'BROKEN_TRAIL_ERROR' : 'OK',
        from: placeText(from),
        to: placeText(to),
        isWhole,
        ...(finding && { finding: { ...finding } }),
        unsealed: { count: tail.count, ...(tail.since !== undefined && { since: tail.since }) },
        ...(passes !== undefined && { through: passes }),
      },
    }),
  }),
];
