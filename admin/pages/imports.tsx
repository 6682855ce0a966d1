import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { inTenant, PUBLIC, place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { route, setQuery } from '../app/route.ts';
import { can } from '../app/session.ts';
import type { components } from '../generated/api.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { confirmed } from '../ui/confirm.tsx';
import { Choice } from '../ui/form.tsx';
import { count } from '../ui/numbers.ts';
import { Badge, ErrorNote, Facts, PageFrame } from '../ui/states.tsx';
import { PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { attempt } from '../ui/toasts.tsx';
import { useAnswer, useLive } from '../ui/use-answer.ts';
import { type Pages, usePages } from '../ui/use-pages.ts';

type Import = components['schemas']['BulkImportListImportsAnswer']['imports'][number];
type Status = Import['status'];

const T = TEXTS.imports;
const LIMIT = 50;
/** As many as one call takes. */
const MOST_AT_ONCE = 500;
const EVERY_MS = 3_000;

/** The queue belongs to the app, whatever tenant the page is at. */
const app = () => core(inTenant(PUBLIC));

/** The users of the app who wait to be imported, and those who could not be. */
export default function Imports(): JSX.Element {
  const status = statusIn(route.value.query.get('status'));
  const { appId, connectionUriDomain } = place.value;
  const where = [connectionUriDomain, appId];
  const counts = useAnswer(async () => ({ waiting: await countOf('NEW'), failed: await countOf('FAILED') }), where);
  useLive(counts.reload, EVERY_MS);
  const pages = usePages(
    async (paginationToken, signal) => {
      const query = { limit: LIMIT, ...(status && { status }), ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(app().GET('/manage/v1/imports', { params: { query }, signal }));
      return { rows: answer.imports, next: answer.nextPaginationToken };
    },
    [...where, status],
  );
  const { waiting, failed } = counts.data ?? {};
  // What has left the queue, or failed, stands in the list no more as it did; whoever reads further down is left alone.
  const isFirstPage = (pages.rows?.length ?? 0) <= LIMIT;
  useEffect(() => {
    if (waiting !== undefined && isFirstPage) pages.reload();
  }, [waiting, failed]);
  const reload = (): void => {
    counts.reload();
    pages.reload();
  };
  return (
    <PageFrame
      title={T.title}
      lead={T.lead(nameOf(inTenant(PUBLIC)))}
      actions={failed !== undefined && failed > 0 && can('all') && <ForAllFailed failed={failed} reload={reload} />}
    >
      {counts.error !== undefined && <ErrorNote text={counts.error} retry={counts.reload} />}
      {waiting !== undefined && failed !== undefined && <Progress waiting={waiting} failed={failed} key={where.join()} />}
      <div class="filters">
        <Choice
          label={T.status}
          name="status"
          value={status ?? ''}
          options={[['', T.all], ...Object.entries(T.statuses)]}
          onChange={(value) => setQuery({ status: value })}
        />
        <Button onPress={reload}>{T.refresh}</Button>
      </div>
      <List pages={pages} status={status} reload={reload} />
    </PageFrame>
  );
}

const statusIn = (text: string | null): Status | undefined => (text === 'NEW' || text === 'FAILED' ? text : undefined);

async function countOf(status: Status): Promise<number> {
  return (await ok(app().GET('/bulk-import/users/count', { params: { query: { status } } }))).count;
}

/** How many have left the queue since somebody looks. */
function Progress({ waiting, failed }: { readonly waiting: number; readonly failed: number }): JSX.Element {
  const [most, setMost] = useState(waiting);
  useEffect(() => setMost((before) => Math.max(before, waiting)), [waiting]);
  return (
    <>
      <Facts
        of={[
          [T.statuses.NEW, count(waiting)],
          [T.statuses.FAILED, failed === 0 ? count(0) : <Badge tone="bad">{count(failed)}</Badge>],
        ]}
      />
      {waiting > 0 && (
        <div class="field">
          <progress aria-label={T.progress} max={most} value={most - waiting} />
          <p class="hint">{T.done(count(most - waiting), count(most))}</p>
        </div>
      )}
    </>
  );
}

interface ListProps {
  readonly pages: Pages<Import>;
  readonly status: Status | undefined;
  readonly reload: () => void;
}

function List({ pages, status, reload }: ListProps): JSX.Element {
  const columns = [
    { head: T.user, cell: (one: Import) => <Who one={one} /> },
    { head: T.status, cell: (one: Import) => <Badge tone={one.status === 'FAILED' ? 'bad' : 'plain'}>{T.statuses[one.status]}</Badge> },
    { head: T.reason, cell: ({ errorMessage }: Import) => errorMessage ?? '' },
    { head: T.queued, cell: ({ createdAt }: Import) => <Ago ms={createdAt} /> },
    { head: T.tried, cell: ({ status: is, updatedAt }: Import) => (is === 'FAILED' ? <Ago ms={updatedAt} /> : '') },
    ...(can('all') ? [{ head: TEXTS.actions, cell: (one: Import) => <Actions one={one} reload={reload} /> }] : []),
  ];
  const empty = status === undefined ? T.none : T.noneOf(T.statuses[status]);
  return <PagedTable caption={T.title} columns={columns} pages={pages} keyOf={({ id }) => id} empty={empty} />;
}

/** What people call somebody who is no user yet. */
function nameOfImport({ email, phoneNumber, thirdPartyId, thirdPartyUserId, externalUserId, id }: Import): string {
  const account = thirdPartyId === undefined ? undefined : `${thirdPartyId} ${thirdPartyUserId ?? ''}`.trim();
  return email ?? phoneNumber ?? account ?? externalUserId ?? id;
}

function Who({ one }: { readonly one: Import }): JSX.Element {
  return (
    <>
      <div>{nameOfImport(one)}</div>
      <code class="hint">{one.externalUserId ?? one.id}</code>
    </>
  );
}

function Actions({ one, reload }: { readonly one: Import; readonly reload: () => void }): JSX.Element {
  const name = nameOfImport(one);
  const remove = async (): Promise<void> => {
    const text = T.removeText(name);
    if (!(await confirmed({ title: T.removeTitle, text, action: T.remove }))) return;
    if (await attempt(() => removeAll([one.id]), T.removed(count(1)))) reload();
  };
  const retry = async (): Promise<void> => {
    if (await attempt(() => retryAll([one.id]), T.retried(count(1)))) reload();
  };
  return (
    <div class="actions">
      {one.status === 'FAILED' && (
        <Button onPress={retry} of={name}>
          {T.retry}
        </Button>
      )}
      <Button kind="danger" onPress={remove} of={name}>
        {T.remove}
      </Button>
    </div>
  );
}

/** What can be done with all who failed, however many they are. */
function ForAllFailed({ failed, reload }: { readonly failed: number; readonly reload: () => void }): JSX.Element {
  const run = async (work: (ids: readonly string[]) => Promise<unknown>, done: string): Promise<void> => {
    await attempt(() => forEachFailed(work), done);
    reload();
  };
  const remove = async (): Promise<void> => {
    const text = T.removeAllText(count(failed));
    if (await confirmed({ title: T.removeAll, text, action: T.removeAll, word: T.removeWord }))
      await run(removeAll, T.removed(count(failed)));
  };
  return (
    <>
      <Button onPress={() => run(retryAll, T.retried(count(failed)))}>{T.retryAll}</Button>
      <Button kind="danger" onPress={remove}>
        {T.removeAll}
      </Button>
    </>
  );
}

const retryAll = (ids: readonly string[]): Promise<unknown> => ok(app().POST('/manage/v1/imports/retry', { body: { ids: [...ids] } }));
const removeAll = (ids: readonly string[]): Promise<unknown> => app().POST('/bulk-import/users/remove', { body: { ids: [...ids] } });

/** Goes through all who failed, once: one who fails again meanwhile keeps the place that is already behind. */
async function forEachFailed(work: (ids: readonly string[]) => Promise<unknown>): Promise<void> {
  for (let paginationToken: string | undefined; ; ) {
    const query = { limit: MOST_AT_ONCE, status: 'FAILED' as const, ...(paginationToken !== undefined && { paginationToken }) };
    const { imports, nextPaginationToken } = await ok(app().GET('/manage/v1/imports', { params: { query } }));
    if (imports.length > 0) await work(imports.map(({ id }) => id));
    if (nextPaginationToken === undefined) return;
    paginationToken = nextPaginationToken;
  }
}
