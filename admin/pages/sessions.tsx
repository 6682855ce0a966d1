import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { answered, core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { linkTo, route, setQuery } from '../app/route.ts';
import { can } from '../app/session.ts';
import type { components } from '../generated/api.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { confirmed } from '../ui/confirm.tsx';
import { PageFrame } from '../ui/states.tsx';
import { PagedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { attempt } from '../ui/toasts.tsx';
import { type Page, usePages } from '../ui/use-pages.ts';

type Session = components['schemas']['ManagementSessionSummary'];

const T = TEXTS.sessions;
const LIMIT = 50;

/** What may be looked for: a user by an id, or one session by its handle. */
const isHandle = (text: string): boolean => /^[0-9a-f-]{36}(?:_.+)?$/.test(text);

/** Of the tenant, of a user, or the one that a handle names. @throws Refused */
async function find(q: string, paginationToken: string | undefined, signal: AbortSignal): Promise<Page<Session>> {
  const query = { limit: LIMIT, ...(paginationToken !== undefined && { paginationToken }) };
  if (q === '') {
    const { sessions, nextPaginationToken: next } = await ok(core().GET('/manage/v1/sessions', { params: { query }, signal }));
    return { rows: sessions, next };
  }
  const ofUser = await answered(core().GET('/manage/v1/user/sessions', { params: { query: { ...query, userId: q } }, signal }));
  if (ofUser.status === 'OK') return { rows: ofUser.sessions, next: ofUser.nextPaginationToken };
  if (!isHandle(q)) return { rows: [], next: undefined };
  const one = await answered(core().GET('/manage/v1/session', { params: { query: { sessionHandle: q } }, signal }));
  return { rows: one.status === 'OK' ? [one.session] : [], next: undefined };
}

/** Who is signed in, and what ends it. */
export default function Sessions(): JSX.Element {
  const q = (route.value.query.get('q') ?? '').trim();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const pages = usePages((token, signal) => find(q, token, signal), [q]);
  // What was chosen among others is not seen any more.
  useEffect(() => setChosen(new Set()), [q]);
  const end = async (sessionHandles: string[]): Promise<void> => {
    if (!(await confirmed({ title: T.end(sessionHandles.length), text: T.endText, action: T.end(sessionHandles.length) }))) return;
    const call = () => ok(core().POST('/manage/v1/session/revoke', { body: { sessionHandles } }));
    // Others may have ended some of them meanwhile.
    const isDone = await attempt(call, ({ sessionHandlesRevoked }) => T.ended(sessionHandlesRevoked.length));
    if (!isDone) return;
    setChosen(new Set());
    pages.reload();
  };
  const toggle = (handle: string): void => {
    const next = new Set(chosen);
    if (!next.delete(handle)) next.add(handle);
    setChosen(next);
  };
  const tick = {
    head: T.choose,
    cell: ({ sessionHandle }: Session) => (
      <input
        type="checkbox"
        aria-label={T.chooseOne(sessionHandle)}
        checked={chosen.has(sessionHandle)}
        onChange={() => toggle(sessionHandle)}
      />
    ),
  };
  return (
    <PageFrame
      title={T.title}
      lead={T.lead(nameOf(place.value))}
      actions={
        can('users') && (
          <Button kind="danger" isDisabled={chosen.size === 0} onPress={() => end([...chosen])}>
            {T.end(chosen.size)}
          </Button>
        )
      }
    >
      <search class="filters">
        <div class="field grows">
          <label for="sessions-search">{T.search}</label>
          <input
            id="sessions-search"
            type="search"
            placeholder={T.searchHint}
            value={route.value.query.get('q') ?? ''}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </div>
      </search>
      <PagedTable
        caption={T.title}
        columns={can('users') ? [...COLUMNS, tick] : COLUMNS}
        pages={pages}
        keyOf={({ sessionHandle }) => sessionHandle}
        empty={q === '' ? T.none : T.noneFound}
      />
    </PageFrame>
  );
}

const COLUMNS = [
  { head: T.user, cell: ({ recipeUserId }: Session) => <a href={linkTo('users', recipeUserId)}>{recipeUserId}</a> },
  { head: TEXTS.begun, cell: ({ timeCreated }: Session) => <Time ms={timeCreated} /> },
  { head: TEXTS.ends, cell: ({ expiry }: Session) => <Time ms={expiry} /> },
  { head: T.rotated, cell: ({ lastRotation }: Session) => <Time ms={lastRotation} /> },
  { head: T.tenant, cell: ({ tenantId }: Session) => tenantId },
  { head: T.handle, cell: ({ sessionHandle }: Session) => <code>{sessionHandle}</code> },
];
