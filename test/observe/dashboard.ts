import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../running-core.ts';

/* The dashboard and the alerts of deploy/, as they stand there. */

/** The file of the alerts. */
export const RULES = join(PROJECT_ROOT, 'deploy', 'prometheus', 'rules.yml');

/** A panel of the dashboard. */
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(readFileSync(join(PROJECT_ROOT, 'deploy', 'grafana', 'watchword.json'), 'utf8')) as {
  panels: readonly Panel[];
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
/** The queries of the dashboard, each with the title of its panel. */
export const queries: readonly (readonly [title: string, query: string])[] = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

/** An alert of the rules. */
interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: readonly { rules: readonly Alert[] }[] };
/** The alerts, in their order. */
export const alerts: readonly Alert[] = groups.flatMap(({ rules }) => rules);

/** The metrics that an expression reads. */
export const metricsIn = (expression: string): readonly string[] => [...new Set(expression.match(/\b(?:watchword|process)_[a-z0-9_]+/g))];
