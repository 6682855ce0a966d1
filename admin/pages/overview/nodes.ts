import type { components } from '../../generated/api.ts';

/** How a node of the core is, as it tells. */
export type Overview = components['schemas']['ManagementOverviewAnswer'];

/** What one process said lately, the newest last; never empty. */
export interface Node {
  readonly samples: readonly [Overview, ...Overview[]];
  /** When it was heard last, on the clock of `performance.now`. */
  readonly heardAt: number;
}

/** The nodes that answer. Behind a load balancer each answer may be of another one. */
export interface Nodes {
  /** By `process.id`. */
  readonly heard: ReadonlyMap<string, Node>;
  /** The one that is shown. */
  readonly shown: string;
  /** Where the one that was shown is gone: when the one that took its place started, ms since the epoch. */
  readonly restartedAt?: number | undefined;
}

export const NO_NODES: Nodes = { heard: new Map(), shown: '' };

/** Lines go back so far. */
const WINDOW_SECONDS = 120;
/** A node that was not heard for so long, while others were, is gone. */
const GONE_MS = 30_000;

export const newest = ({ samples }: Node): Overview => samples[samples.length - 1] ?? samples[0];

/** Adds an answer. The node that is shown stays, unless it is gone. */
export function heard(nodes: Nodes, overview: Overview, now: number): Nodes {
  const { id } = overview.process;
  const isGone = (other: Node): boolean => now - other.heardAt > GONE_MS || isSuccessor(overview, newest(other));
  const others = [...nodes.heard].filter(([other, node]) => other !== id && !isGone(node));
  const before = nodes.heard.get(id)?.samples ?? [];
  const all = new Map([...others, [id, { samples: recent(before, overview), heardAt: now }]]);
  if (all.has(nodes.shown)) return { ...nodes, heard: all };
  return { heard: all, shown: id, restartedAt: nodes.shown === '' ? undefined : overview.process.startedAt };
}

/** Shows another node. */
export const shown = (nodes: Nodes, id: string): Nodes => ({ heard: nodes.heard, shown: id });

/** A process that began on the same host after the last word of another has taken its place. */
const isSuccessor = ({ process }: Overview, before: Overview): boolean =>
  process.host === before.process.host && process.startedAt >= before.at;

/** What is asked twice within a second has the same answer, which counts once. */
function recent(before: readonly Overview[], last: Overview): readonly [Overview, ...Overview[]] {
  const uptime = last.process.uptimeSeconds;
  const kept = before.filter(({ process: { uptimeSeconds } }) => uptimeSeconds < uptime && uptime - uptimeSeconds <= WINDOW_SECONDS);
  const [first, ...rest] = kept;
  return first ? [first, ...rest, last] : [last];
}
