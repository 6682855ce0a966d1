import type { JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { coreNow } from './core-clock.ts';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
] as const;

/** A time in the viewer's zone, with UTC on hover. @param ms since the epoch; null and 0 are "never" */
export function Time({ ms }: { readonly ms: number | null | undefined }): JSX.Element {
  if (!ms) return <span>{TEXTS.never}</span>;
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return <span>{ms}</span>;
  return (
    <time dateTime={at.toISOString()} title={`${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {LOCAL.format(at)}
    </time>
  );
}

/** A time as "3 hours ago", with the exact one on hover. */
export function Ago({ ms, now = coreNow() }: { readonly ms: number | null | undefined; readonly now?: number }): JSX.Element {
  if (!ms) return <span>{TEXTS.never}</span>;
  const at = new Date(ms);
  return (
    <time dateTime={at.toISOString()} title={`${LOCAL.format(at)}\n${at.toISOString()}`}>
      {ago(ms - now)}
    </time>
  );
}

/** @param ms negative for what is past */
export function ago(ms: number): string {
  let value = ms / 1000;
  for (const [unit, most] of STEPS) {
    if (Math.abs(value) < most) return RELATIVE.format(Math.round(value), unit);
    value /= most;
  }
  return RELATIVE.format(Math.round(value), 'year');
}
