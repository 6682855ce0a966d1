import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answered, core, ok } from '../app/api.ts';
import { route, setQuery } from '../app/route.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Tick } from '../ui/form.tsx';
import { count } from '../ui/numbers.ts';
import { PageFrame } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';
import { messageOf } from '../ui/message.ts';
import { useAnswer, useLive } from '../ui/use-answer.ts';
import { type EventFilter, EventTable, useEvents } from './events.tsx';

const T = TEXTS.audit;
const LOOK_MS = 3_000;
/** More new ones than that are "more than". */
const MOST_NEW = 500;

/** A time as the field for dates and times writes it, in the viewer's zone. */
const fieldOf = (ms: number): string => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

function filterIn(query: URLSearchParams): EventFilter {
  const text = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  const [userId, kinds, tenantId, since, until] = ['user', 'kind', 'in', 'since', 'until'].map(text);
  return {
    ...(userId !== undefined && { userId }),
    ...(kinds !== undefined && { kind: kinds.split(/[\s,]+/).filter(Boolean) }),
    ...(tenantId !== undefined && { tenantId }),
    ...(since !== undefined && { since: Number(since) }),
    ...(until !== undefined && { until: Number(until) }),
    ...(query.get('everywhere') === 'true' && { everywhere: true }),
  };
}

/** The audit trail. New events are counted and shown when one asks, so that nothing jumps under writes. */
export default function Audit(): JSX.Element {
  const filter = filterIn(route.value.query);
  const pages = useEvents(filter);
  const newest = pages.rows?.[0];
  const { data, reload } = useAnswer(
    async (signal) => {
      if (pages.rows === undefined) return 0;
      const query = { ...filter, limit: MOST_NEW, ...(newest && { since: newest.at }) };
      const { events } = await ok(core().GET('/manage/v1/audit', { params: { query }, signal }));
      return newest ? events.filter(({ sequence }) => sequence > newest.sequence).length : events.length;
    },
    [JSON.stringify(filter), newest?.sequence, pages.rows === undefined],
  );
  useLive(reload, LOOK_MS);
  return (
    <PageFrame title={T.title} lead={T.lead}>
      <Filters />
      <Verification />
      <div role="status">
        {data !== undefined && data > 0 && (
          <Button onPress={pages.reload}>{T.newEvents(data < MOST_NEW ? count(data) : `${count(MOST_NEW)}+`)}</Button>
        )}
      </div>
      <EventTable pages={pages} />
    </PageFrame>
  );
}

/** Each stands in the address. */
const FIELDS = [
  ['kind', T.kinds, T.kindsHint],
  ['user', T.userId, ''],
  ['in', TEXTS.tenantId, ''],
] as const;

function Filters(): JSX.Element {
  const { query } = route.value;
  return (
    <search class="filters">
      {FIELDS.map(([name, label, hint]) => (
        <div key={name} class="field grows">
          <label for={`audit-${name}`}>{label}</label>
          <input
            id={`audit-${name}`}
            type="search"
            placeholder={hint}
            value={query.get(name) ?? ''}
            onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
          />
        </div>
      ))}
      {(['since', 'until'] as const).map((name) => (
        <div key={name} class="field">
          <label for={`audit-${name}`}>{T[name]}</label>
          <input
            id={`audit-${name}`}
            type="datetime-local"
            value={query.has(name) ? fieldOf(Number(query.get(name))) : ''}
            onChange={({ currentTarget: { value } }) => setQuery({ [name]: value === '' ? '' : String(new Date(value).getTime()) })}
          />
        </div>
      ))}
      <Tick
        label={T.everywhere}
        name="everywhere"
        isTicked={query.get('everywhere') === 'true'}
        onChange={(isTicked) => setQuery({ everywhere: isTicked ? 'true' : '' })}
      />
    </search>
  );
}

type Verdict =
  | { readonly is: 'looking'; readonly at: string }
  | { readonly is: 'whole'; readonly unsealed: number; readonly since: number | undefined; readonly to: string }
  | { readonly is: 'broken'; readonly text: string };

/** Looks through the trail piece by piece, and says how far it is. */
function Verification(): JSX.Element {
  const [verdict, setVerdict] = useState<Verdict>();
  const verify = async (): Promise<void> => {
    try {
      let from: string | undefined;
      for (;;) {
        const query = from === undefined ? {} : { from };
        const { finding, isWhole, to, unsealed } = await answered(core().GET('/manage/v1/audit/verify', { params: { query } }));
        if (finding) return setVerdict({ is: 'broken', text: T.faults[finding.fault](finding.first, finding.last) });
        if (isWhole) return setVerdict({ is: 'whole', unsealed: unsealed.count, since: unsealed.since, to });
        setVerdict({ is: 'looking', at: to.split(':')[0] ?? '' });
        from = to;
      }
    } catch (error) {
      setVerdict({ is: 'broken', text: messageOf(error) });
    }
  };
  return (
    <div class="actions">
      <Button onPress={verify}>{T.verify}</Button>
      <span role="status">
        {verdict?.is === 'looking' && T.verifiedTo(verdict.at)}
        {verdict?.is === 'whole' && (
          <>
            {T.isWhole(verdict.to.split(':')[0] ?? '')} {verdict.unsealed > 0 && T.unsealed(verdict.unsealed)}{' '}
            {verdict.since !== undefined && <Ago ms={verdict.since} />}
          </>
        )}
        {verdict?.is === 'broken' && <strong class="bad">{verdict.text}</strong>}
      </span>
    </div>
  );
}
