import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { count } from './numbers.ts';
import { Table } from './table.tsx';

/** One line of a chart. */
export interface Series {
  readonly name: string;
  /** One for each label; not negative. */
  readonly values: readonly number[];
  /** `bad`: what nobody wants to happen. */
  readonly tone?: 'accent' | 'bad';
  /** Values that do not add up, such as of people who come on several days: then the highest is told, not the sum. */
  readonly isNoSum?: boolean;
}

interface ChartProps {
  readonly title: string;
  /** What the labels are, such as days. */
  readonly of: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
}

/* Sizes in units of the view box, which stretches to the width that there is. */
const WIDTH = 600;
const HEIGHT = 160;
const TOP = 8;

/** The least round number that is not below a value: 1, 2 or 5 and zeros. */
export function roundAbove(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((step) => step * power >= value) ?? 10);
}

const pointsOf = (values: readonly number[], top: number): readonly (readonly [x: number, y: number])[] =>
  values.map((value, at) => [(at / Math.max(1, values.length - 1)) * WIDTH, HEIGHT - (value / top) * (HEIGHT - TOP)]);

const lineOf = (values: readonly number[], top: number): string =>
  pointsOf(values, top)
    .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`)
    .join(' ');

/**
 * Lines over time, with what the pointer is at in words below, and the same numbers as a table for who cannot see or
 * point. Its height is the same with and without values, so that nothing jumps.
 */
export function Chart({ title, of, labels, series }: ChartProps): JSX.Element {
  const [at, setAt] = useState<number | undefined>();
  const top = roundAbove(Math.max(0, ...series.flatMap(({ values }) => values)));
  const last = labels.length - 1;
  const pointAt = (x: number, { left, width }: DOMRect): void =>
    setAt(Math.max(0, Math.min(last, Math.round(((x - left) / width) * last))));
  const pointed = at === undefined || at > last ? undefined : at;
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <Legend series={series} at={pointed} label={pointed === undefined ? undefined : labels[pointed]} />
      </figcaption>
      <div class="plot">
        <span class="axis" aria-hidden="true">
          {count(top)}
        </span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={({ clientX, currentTarget }) => pointAt(clientX, currentTarget.getBoundingClientRect())}
          onPointerLeave={() => setAt(undefined)}
        >
          <path class="grid" d={`M0 ${TOP}H${WIDTH}M0 ${(HEIGHT + TOP) / 2}H${WIDTH}M0 ${HEIGHT - 1}H${WIDTH}`} />
          {pointed !== undefined && <path class="pointed" d={`M${(pointed / Math.max(1, last)) * WIDTH} 0V${HEIGHT}`} />}
          {series.map(({ name, values, tone = 'accent' }) => (
            <polyline key={name} class={`line ${tone}`} points={lineOf(values, top)} />
          ))}
        </svg>
        <span class="ends" aria-hidden="true">
          <span>{labels[0]}</span>
          <span>{labels[last]}</span>
        </span>
      </div>
      <details>
        <summary>{TEXTS.asTable(title)}</summary>
        <Table
          caption={title}
          columns={[
            { head: of, cell: (row: number) => labels[row] },
            ...series.map(({ name, values }) => ({ head: name, isNumber: true, cell: (row: number) => count(values[row] ?? 0) })),
          ]}
          rows={labels.map((_, row) => last - row)}
          keyOf={String}
        />
      </details>
    </figure>
  );
}

interface LegendProps {
  readonly series: readonly Series[];
  /** Undefined: all of them. */
  readonly at: number | undefined;
  readonly label: string | undefined;
}

function Legend({ series, at, label }: LegendProps): JSX.Element {
  const valueOf = ({ values, isNoSum }: Series): string => {
    if (at !== undefined) return count(values[at] ?? 0);
    return isNoSum ? TEXTS.atMost(count(Math.max(0, ...values))) : TEXTS.inAll(count(values.reduce((total, value) => total + value, 0)));
  };
  return (
    <span class="legend">
      {label !== undefined && <span class="hint">{label}</span>}
      {series.map((one) => (
        <span key={one.name}>
          <svg class="key" viewBox="0 0 16 8" aria-hidden="true">
            <path class={`line ${one.tone ?? 'accent'}`} d="M0 4H16" />
          </svg>
          {one.name} <b>{valueOf(one)}</b>
        </span>
      ))}
    </span>
  );
}

/** A small line without words, beside the number that it is the history of. What is not known stands at the bottom. */
export function Sparkline({ values }: { readonly values: readonly (number | undefined)[] }): JSX.Element {
  const known = values.map((value) => (value === undefined || !Number.isFinite(value) ? 0 : value));
  const top = Math.max(1e-9, ...known);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {known.length > 1 && <polyline class="line accent" points={lineOf(known, top)} />}
    </svg>
  );
}
