import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { answered, core } from '../app/api.ts';
import { route, setQuery } from '../app/route.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Tick } from '../ui/form.tsx';
import { PageFrame } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';
import { messageOf } from '../ui/message.ts';
import { type EventFilter, Events } from './events.tsx';

const T = TEXTS.audit;

/** A time as the field for dates and times writes it, in the viewer's zone; empty for what is none. */
function fieldOf(text: string | null): string {
  const at = new Date(text ? Number(text) : Number.NaN);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 16);
}

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

/** The audit trail. */
export default function Audit(): JSX.Element {
  const filter = filterIn(route.value.query);
  return (
    <PageFrame title={T.title} lead={T.lead}>
      <Filters />
      <Verification />
      <Events filter={filter} empty={Object.keys(filter).length === 0 ? T.none : T.noneFound} />
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
            value={fieldOf(query.get(name))}
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

/** Looks through the trail piece by piece, until the page closes. @param tell hears how far it is */
async function verifyTrail(signal: AbortSignal, tell: (verdict: Verdict) => void): Promise<Verdict> {
  let from: string | undefined;
  for (;;) {
    const query = from === undefined ? {} : { from };
    const { finding, isWhole, to, unsealed } = await answered(core().GET('/manage/v1/audit/verify', { params: { query }, signal }));
    if (finding) return { is: 'broken', text: T.faults[finding.fault](finding.first, finding.last) };
    if (isWhole) return { is: 'whole', unsealed: unsealed.count, since: unsealed.since, to };
    tell({ is: 'looking', at: to.split(':')[0] ?? '' });
    from = to;
  }
}

/** Asks whether the trail is as it was written, and says what came of it. */
function Verification(): JSX.Element {
  const [verdict, setVerdict] = useState<Verdict>();
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const verify = async (): Promise<void> => {
    running.current.abort();
    const { signal } = (running.current = new AbortController());
    try {
      setVerdict(await verifyTrail(signal, setVerdict));
    } catch (error) {
      if (!signal.aborted) setVerdict({ is: 'broken', text: messageOf(error) });
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
