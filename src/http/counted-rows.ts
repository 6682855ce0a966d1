import type { Route } from '../recipes/route.ts';
import { ROUTES } from '../recipes/routes.ts';

/** What requests are counted by. */
export interface CountedRow {
  readonly method: string;
  readonly path: string;
}

/** Where requests are counted that no row answered: probes, unknown paths, refusals before the routing. */
export const NO_ROW = 0;

const labelOf = ({ method, path }: CountedRow): string => `${method} ${path}`;

/** The metrics' labels by number: first `NO_ROW`, then each method and path, once where several rows share them. */
export const COUNTED_ROWS: readonly CountedRow[] = [
  { method: '', path: '' },
  ...new Map(ROUTES.map((route): [string, CountedRow] => [labelOf(route), { method: route.method, path: route.path }])).values(),
];

/** The number under which each row is counted. */
export function countedNumbers(): ReadonlyMap<Route, number> {
  const numbers = new Map(COUNTED_ROWS.map((row, number) => [labelOf(row), number]));
  return new Map(ROUTES.map((route) => [route, numbers.get(labelOf(route)) ?? NO_ROW]));
}
