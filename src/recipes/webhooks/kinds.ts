import { EVENT_KINDS, type EventKind } from '../audit/kinds.ts';
import { Refusal } from '../refusal.ts';
import { MOST_KINDS } from './limits.ts';

const ALL = '*';
const REST = '.*';

const matches = (pattern: string, kind: string): boolean =>
  pattern === ALL || pattern === kind || (pattern.endsWith(REST) && kind.startsWith(pattern.slice(0, -1)));

/** The kinds of events that patterns such as `user.*` stand for; undefined for all. */
export function kindsMeant(patterns: readonly string[]): readonly EventKind[] | undefined {
  return patterns.includes(ALL) ? undefined : EVENT_KINDS.filter((kind) => patterns.some((pattern) => matches(pattern, kind)));
}

/** The patterns once each. @throws Refusal where one stands for no kind */
export function checkedKinds(patterns: readonly string[]): readonly string[] {
  const distinct = [...new Set(patterns)];
  const idle = distinct.find((pattern) => !EVENT_KINDS.some((kind) => matches(pattern, kind)));
  if (idle !== undefined)
    throw bad(`There is no kind of event '${idle}': a kind is as user.created, or user.* for all of these, or * for all`);
  if (distinct.length === 0 || distinct.length > MOST_KINDS) throw bad(`kinds must be 1 to ${MOST_KINDS} kinds of events`);
  return distinct;
}

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
