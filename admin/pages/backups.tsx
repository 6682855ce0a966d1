import type { JSX } from 'preact';
import { core, ok, urlOf } from '../app/api.ts';
import { BASE_PLACE } from '../app/place.ts';
import { can } from '../app/session.ts';
import type { components } from '../generated/api.ts';
import { TEXTS } from '../texts.ts';
import { coreNow } from '../ui/core-clock.ts';
import { bytes } from '../ui/numbers.ts';
import { Badge, ErrorNote, Facts, PageFrame, Section } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Ago, Time } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import { useAnswer, useLive } from '../ui/use-answer.ts';

type State = components['schemas']['ManagementBackupsStateAnswer'];
type Schedule = NonNullable<State['schedule']>;
type File = Schedule['files'][number];

const T = TEXTS.backups;
const EVERY_MS = 5_000;

const COLUMNS = [
  { head: T.file, cell: ({ name }: File) => <code>{name}</code> },
  { head: T.finished, cell: ({ finishedAt }: File) => <Time ms={finishedAt} /> },
  { head: T.age, cell: ({ finishedAt }: File) => <Ago ms={finishedAt} /> },
  { head: T.size, cell: (file: File) => bytes(file.bytes), isNumber: true },
];

/** Backups of the whole core: what there is, when the next one comes, and one for this computer. */
export default function Backups(): JSX.Element {
  const { data, error, reload } = useAnswer((signal) => ok(core(BASE_PLACE).GET('/manage/v1/backups', { signal })), []);
  useLive(reload, EVERY_MS);
  return (
    <PageFrame title={T.title} lead={T.lead} actions={data?.isPossible && can('all') && <Download isUnderWay={data.isUnderWay} />}>
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data?.isUnderWay && (
        <p class="note" role="status">
          {T.underWay}
        </p>
      )}
      {data && !data.isPossible && <div class="empty">{T.notHere}</div>}
      {data?.isPossible && (data.schedule ? <Scheduled schedule={data.schedule} /> : <div class="note warning">{T.noSchedule}</div>)}
    </PageFrame>
  );
}

/** A link, since the browser writes to the disk what may be larger than its memory. */
function Download({ isUnderWay }: { readonly isUnderWay: boolean }): JSX.Element {
  const name = `watchword-${new Date(coreNow()).toISOString().replace(/[-:]|\.[0-9]+/g, '')}.backup`;
  return (
    <a
      class="button"
      href={urlOf('/manage/v1/backup', BASE_PLACE)}
      download={name}
      onClick={(event) => {
        if (isUnderWay) event.preventDefault();
        say(isUnderWay ? T.underWay : T.downloading, isUnderWay ? { tone: 'warning' } : {});
      }}
    >
      {T.download}
    </a>
  );
}

function Scheduled({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { folder, everyHours, keep, nextAt, lastAttempt, files, folderError } = schedule;
  return (
    <>
      {lastAttempt?.error !== undefined && <ErrorNote text={T.failed(lastAttempt.error)} />}
      {folderError !== undefined && <ErrorNote text={T.folderError(folderError)} />}
      <Section title={T.schedule}>
        <Facts
          of={[
            [T.every, T.hours(everyHours)],
            [T.keep, keep],
            [T.folder, <code key="folder">{folder}</code>],
            [T.next, nextAt === undefined ? T.soon : <Time ms={nextAt} />],
            [T.last, lastAttempt ? <Attempt {...lastAttempt} /> : T.noneYet],
          ]}
        />
      </Section>
      <Section title={T.files}>
        {files.length > 0 && <Table caption={T.files} columns={COLUMNS} rows={files} keyOf={({ name }) => name} />}
        {files.length === 0 && folderError === undefined && <div class="empty">{T.none}</div>}
      </Section>
    </>
  );
}

function Attempt({ at, error }: NonNullable<Schedule['lastAttempt']>): JSX.Element {
  return (
    <>
      <Badge tone={error === undefined ? 'good' : 'bad'}>{error === undefined ? T.wentWell : T.wentWrong}</Badge> <Time ms={at} />
    </>
  );
}
