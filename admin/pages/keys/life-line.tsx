import type { JSX } from 'preact';
import type { components } from '../../generated/api.ts';

export type SigningKey = components['schemas']['ManagementListSigningKeysAnswer']['keys'][number];

/** What all lines share, ms since the epoch. */
export interface Axis {
  readonly from: number;
  readonly to: number;
}

const WIDTH = 100;
const HEIGHT = 12;
/** Beyond the last time that is known, so that keys without an end reach further than those with one. */
const MARGIN = 0.08;

/** From the first key to the last known end: times of the core alone, as the clock of the browser may be wrong. */
export function axisOf(keys: readonly SigningKey[]): Axis {
  const known = keys.flatMap(({ createdAt, signsFrom, signsUntil, verifiesUntil }) => [createdAt, signsFrom, signsUntil, verifiesUntil]);
  const times = known.filter((time) => time !== null);
  const [from, last] = [Math.min(...times), Math.max(...times)];
  return { from, to: last + (last - from) * MARGIN };
}

/** The life of a key on the axis of all: thin where it is known, full where it signs. The table says the same in words. */
export function LifeLine({ of, axis, now }: { readonly of: SigningKey; readonly axis: Axis; readonly now: number }): JSX.Element {
  const { createdAt, signsFrom, signsUntil, verifiesUntil } = of;
  const x = (time: number | null): number => (((time ?? axis.to) - axis.from) / Math.max(1, axis.to - axis.from)) * WIDTH;
  const bar = (part: string, from: number, until: number | null, height: number): JSX.Element => (
    <rect class={part} x={x(from)} width={Math.max(0.4, x(until) - x(from))} y={(HEIGHT - height) / 2} height={height} />
  );
  return (
    <svg class="life-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {bar('verifies', createdAt, verifiesUntil, 3)}
      {bar('signs', signsFrom, signsUntil ?? verifiesUntil, 8)}
      {now >= axis.from && now <= axis.to && <line class="now" x1={x(now)} x2={x(now)} y1={0} y2={HEIGHT} />}
    </svg>
  );
}
