import type { ComponentChildren, JSX } from 'preact';
import { TEXTS } from '../../texts.ts';
import { bytes, count, span } from '../../ui/numbers.ts';
import { Badge, Facts, Section, type Tone } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Ago, Time } from '../../ui/time.tsx';
import type { Overview } from './nodes.ts';

const T = TEXTS.overview;

type Lane = Overview['lanes'][number];
type Job = Overview['jobs'][number];

const LANE_COLUMNS: readonly Column<Lane>[] = [
  { head: T.lane, cell: ({ name }) => T.laneNames[name] ?? name },
  { head: T.busy, isNumber: true, cell: ({ running, threads }) => T.ofMost(count(running), count(threads)) },
  { head: T.waiting, isNumber: true, cell: ({ queued, queue }) => T.ofMost(count(queued), count(queue)) },
  { head: T.longestWait, isNumber: true, cell: ({ oldestSeconds }) => span(oldestSeconds * 1e3) },
  { head: T.done, isNumber: true, cell: ({ completed }) => count(completed) },
  { head: T.rejected, isNumber: true, cell: ({ rejected }) => (rejected === 0 ? '0' : <Badge tone="bad">{count(rejected)}</Badge>) },
];

/** The queues before worker threads. */
export function Lanes({ of }: { readonly of: Overview }): JSX.Element {
  return (
    <Section title={T.lanes}>
      <p class="hint">{T.lanesHint}</p>
      <Table caption={T.lanes} columns={LANE_COLUMNS} rows={of.lanes} keyOf={({ name }) => name} />
    </Section>
  );
}

const JOB_TONES: Readonly<Record<Job['state'], Tone>> = {
  waiting: 'plain',
  running: 'good',
  done: 'plain',
  failed: 'bad',
  'cut-off': 'warning',
};

/** Work that no request waits for, of all nodes. */
export function Jobs({ of: { at, jobs } }: { readonly of: Overview }): JSX.Element {
  const columns: readonly Column<Job>[] = [
    { head: T.job, cell: ({ name }) => T.jobNames[name] ?? name },
    {
      head: T.outcome,
      cell: ({ state, fault }) => (
        <>
          <Badge tone={JOB_TONES[state]}>{T.jobStates[state]}</Badge>
          {fault}
        </>
      ),
    },
    { head: T.began, cell: ({ startedAt }) => <Ago ms={startedAt} now={at} /> },
    { head: T.took, isNumber: true, cell: ({ startedAt, endedAt }) => (startedAt && endedAt ? span(endedAt - startedAt) : '') },
    { head: T.next, cell: ({ nextAt }) => (nextAt ? <Ago ms={nextAt} now={at} /> : T.whenNeeded) },
  ];
  return (
    <Section title={T.jobs}>
      {jobs.length === 0 ? (
        <div class="empty">{T.noJobs}</div>
      ) : (
        <Table caption={T.jobs} columns={columns} rows={jobs} keyOf={({ name }) => name} />
      )}
    </Section>
  );
}

const size = (value: number | undefined): string | undefined => (value === undefined ? undefined : bytes(value));

/** Store, backups and what waits. */
export function StoreFacts({ of: { store, backups, at, ...rest } }: { readonly of: Overview }): JSX.Element {
  const lastBackup: ComponentChildren = backups.lastAt && (
    <>
      <Ago ms={backups.lastAt} now={at} /> ({bytes(backups.lastBytes ?? 0)})
    </>
  );
  return (
    <Section title={T.store}>
      <Facts
        of={[
          [T.engine, store.engine],
          [T.size, size(store.bytes)],
          [T.freeWithin, size(store.freeBytes)],
          [T.diskFree, size(store.diskFreeBytes)],
          [T.commits, count(store.commits)],
          [T.conflicts, count(store.conflicts)],
          [T.readers, store.readers === undefined ? undefined : count(store.readers)],
          [T.lastBackup, lastBackup || (backups.isScheduled ? T.notYet : T.noSchedule)],
          [T.auditLag, span(rest.auditLagSeconds * 1e3)],
          [T.importWait, span(rest.importQueueSeconds * 1e3)],
          [T.webhookLag, span(rest.webhooks.lagSeconds * 1e3)],
          [T.deadLetters, count(rest.webhooks.deadLetters)],
        ]}
      />
    </Section>
  );
}

/** Which process this is. */
export function ProcessFacts({ of: { process } }: { readonly of: Overview }): JSX.Element {
  return (
    <Section title={T.process}>
      <Facts
        of={[
          [T.version, process.version],
          [T.nodeVersion, process.nodeVersion],
          [T.host, process.host],
          [T.pid, String(process.pid)],
          [T.httpThreads, count(process.httpThreads)],
          [T.startedAt, <Time key="at" ms={process.startedAt} />],
          [T.uptime, span(process.uptimeSeconds * 1e3)],
        ]}
      />
    </Section>
  );
}
