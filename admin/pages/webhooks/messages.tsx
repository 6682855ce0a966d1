import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { place } from '../../app/place.ts';
import { linkTo } from '../../app/route.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { span } from '../../ui/numbers.ts';
import { Badge, ErrorNote, Section } from '../../ui/states.tsx';
import { PagedTable, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { useAnswer, useLive } from '../../ui/use-answer.ts';
import { usePages } from '../../ui/use-pages.ts';
import type { Attempt, Message, Waiting } from './webhook-answer.ts';

const T = TEXTS.webhooks;
const EVERY_MS = 5_000;

const ATTEMPTS = [
  { head: T.when, cell: ({ at }: Attempt) => <Time ms={at} /> },
  { head: T.kind, cell: ({ kind }: Attempt) => kind },
  {
    head: T.outcome,
    cell: ({ status, fault }: Attempt) => <Badge tone={fault === null ? 'good' : 'bad'}>{fault ?? T.answered(status ?? 0)}</Badge>,
  },
  { head: T.took, cell: ({ ms }: Attempt) => span(ms), isNumber: true },
  { head: T.sequence, cell: ({ sequence }: Attempt) => sequence, isNumber: true },
];

const MESSAGE = [
  { head: T.event, cell: ({ sequence, kind }: Message) => `${sequence} ${kind}` },
  { head: T.when, cell: ({ at }: Message) => <Time ms={at} /> },
  { head: T.user, cell: ({ userId }: Message) => (userId === null ? TEXTS.none : <a href={linkTo('users', userId)}>{userId}</a>) },
  { head: T.attempts, cell: ({ attempts }: Message) => attempts, isNumber: true },
  { head: T.fault, cell: ({ fault }: Message) => fault ?? TEXTS.none },
];

const WAITING = [...MESSAGE, { head: T.nextAttempt, cell: ({ nextAt }: Waiting) => <Time ms={nextAt} /> }];

/** The last attempts, and what is still to be sent. */
export function Deliveries({ id }: { readonly id: string }): JSX.Element {
  const ask = (signal: AbortSignal) => ok(core().GET('/manage/v1/webhooks/deliveries', { params: { query: { id } }, signal }));
  const { data, error, reload } = useAnswer(ask, [place.value, id]);
  useLive(reload, EVERY_MS);
  return (
    <>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      <Section title={T.attempts}>
        {data?.attempts.length === 0 && <div class="empty">{T.noAttempts}</div>}
        {data && data.attempts.length > 0 && (
          <Table caption={T.attempts} columns={ATTEMPTS} rows={data.attempts} keyOf={({ at, sequence }) => `${at} ${sequence}`} />
        )}
      </Section>
      <Section title={T.waiting}>
        {data?.waiting.length === 0 && <p class="hint">{T.nothingWaits}</p>}
        {data && data.waiting.length > 0 && (
          <Table caption={T.waiting} columns={WAITING} rows={data.waiting} keyOf={({ sequence }) => String(sequence)} />
        )}
      </Section>
    </>
  );
}

interface DeadLettersProps {
  readonly id: string;
  /** Another number means that the list is another. */
  readonly total: number;
  readonly mayReplay: boolean;
  readonly onReplayed: () => void;
}

/** What was given up, to be sent again one by one or all together. */
export function DeadLetters({ id, total, mayReplay, onReplayed }: DeadLettersProps): JSX.Element {
  const pages = usePages(
    async (paginationToken, signal) => {
      const query = { id, ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(core().GET('/manage/v1/webhooks/dead-letters', { params: { query }, signal }));
      return { rows: answer.deadLetters, next: answer.nextPaginationToken };
    },
    [place.value, id, total],
  );
  const replay = async (what: { readonly sequence: number } | { readonly deadLetters: true }): Promise<void> => {
    await attempt(() => ok(core().POST('/manage/v1/webhooks/replay', { body: { id, ...what } })), T.queuedAgain);
    onReplayed();
    pages.reload();
  };
  const columns = mayReplay
    ? [
        ...MESSAGE,
        {
          head: TEXTS.actions,
          cell: ({ sequence }: Message) => (
            <Button onPress={() => replay({ sequence })} of={String(sequence)}>
              {T.sendAgain}
            </Button>
          ),
        },
      ]
    : MESSAGE;
  return (
    <Section
      title={T.deadLetters}
      actions={mayReplay && total > 0 && <Button onPress={() => replay({ deadLetters: true })}>{T.sendAllAgain}</Button>}
    >
      <PagedTable
        caption={T.deadLetters}
        columns={columns}
        pages={pages}
        keyOf={({ sequence }) => String(sequence)}
        empty={T.noDeadLetters}
      />
    </Section>
  );
}
