import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { inTenant, place, PUBLIC } from '../../app/place.ts';
import { nameOf } from '../../app/place-picker.tsx';
import { route, setQuery } from '../../app/route.ts';
import { TEXTS } from '../../texts.ts';
import { Chart, type Series } from '../../ui/chart.tsx';
import { Choice } from '../../ui/form.tsx';
import { ErrorNote, Section } from '../../ui/states.tsx';
import { useAnswer, useLive } from '../../ui/use-answer.ts';
import type { components } from '../../generated/api.ts';

type Day = components['schemas']['ManagementReadStatisticsAnswer']['days'][number];
type Name = Exclude<keyof Day, 'day'>;

const T = TEXTS.overview;
const DAY_MS = 86_400_000;
const AGAIN_MS = 60_000;
const SPANS = ['7', '30', '90'] as const;
const USUAL_SPAN = '30';

/** What stands in one chart. */
const CHARTS: readonly { readonly title: string; readonly of: readonly (Omit<Series, 'values'> & { readonly count: Name })[] }[] = [
  { title: T.activeUsers, of: [{ count: 'activeUsers', name: T.users, isNoSum: true }] },
  {
    title: T.signIns,
    of: [
      { count: 'signIns', name: T.wentWell },
      { count: 'signInFailures', name: T.failed, tone: 'bad' },
    ],
  },
  { title: T.signUps, of: [{ count: 'signUps', name: T.users }] },
  { title: T.refreshes, of: [{ count: 'refreshes', name: T.sessions }] },
  { title: T.thefts, of: [{ count: 'thefts', name: T.tokens, tone: 'bad' }] },
];

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** What happened in the app by day. @param now by the clock of the core, whose days they are */
export function Statistics({ now }: { readonly now: number }): JSX.Element {
  const asked = route.value.query.get('days') ?? '';
  const days = SPANS.find((one) => one === asked) ?? USUAL_SPAN;
  const to = dayOf(now);
  const app = inTenant(PUBLIC);
  const { data, error, reload } = useAnswer(
    (signal) => {
      const from = dayOf(now - (Number(days) - 1) * DAY_MS);
      return ok(core(app).GET('/manage/v1/statistics', { params: { query: { from, to } }, signal }));
    },
    [days, to],
  );
  useLive(reload, AGAIN_MS);
  const isEmpty = data?.days.every((day) => CHARTS.every(({ of }) => of.every(({ count }) => day[count] === 0)));
  return (
    <Section
      title={T.byDay(nameOf({ ...place.value, tenantId: PUBLIC }))}
      actions={
        <Choice
          label={T.span}
          name="days"
          value={days}
          options={SPANS.map((one) => [one, T.days(one)])}
          onChange={(chosen) => setQuery({ days: chosen === USUAL_SPAN ? undefined : chosen })}
        />
      }
    >
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {isEmpty && <div class="empty">{T.nothingCounted}</div>}
      {!isEmpty && (
        <div class="charts" aria-busy={!data}>
          {CHARTS.map(({ title, of }) => (
            <Chart
              key={title}
              title={title}
              of={T.day}
              labels={data?.days.map(({ day }) => day) ?? []}
              series={of.map(({ count, ...series }) => ({ ...series, values: data?.days.map((day) => day[count]) ?? [] }))}
            />
          ))}
        </div>
      )}
    </Section>
  );
}
