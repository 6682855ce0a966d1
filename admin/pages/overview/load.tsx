import type { JSX } from 'preact';
import { TEXTS } from '../../texts.ts';
import { Sparkline } from '../../ui/chart.tsx';
import { bytes, count, decimal, span } from '../../ui/numbers.ts';
import { Section } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type Node, newest, type Overview } from './nodes.ts';
import { busiestBetween, type Load, loadBetween, processorsBetween, type RouteRate } from './rates.ts';

const T = TEXTS.overview;
const MOST_ROUTES = 8;
/** Numbers are of so many samples, some ten seconds: those of two seconds jump about. */
const SMOOTHED = 5;

/** A latency. */
function latency(seconds: number | undefined, bounds: readonly number[]): string {
  if (seconds === undefined) return T.none;
  return Number.isFinite(seconds) ? span(seconds * 1e3) : T.over(span((bounds.at(-1) ?? 0) * 1e3));
}

/** Pairs of samples, each with the one before it. */
const steps = <T,>(samples: readonly Overview[], of: (from: Overview, to: Overview) => T): readonly T[] =>
  samples.slice(1).map((to, at) => of(samples[at] ?? to, to));

/** What the node does at the moment: requests, latencies, processors, memory, and the endpoints that are asked most. */
export function LoadNow({ node }: { readonly node: Node }): JSX.Element {
  const { samples } = node;
  const last = newest(node);
  const from = samples.at(-1 - SMOOTHED) ?? samples[0];
  const now = loadBetween(from, last);
  const loads = steps(samples, loadBetween);
  const processors = steps(samples, processorsBetween);
  const { boundsSeconds: bounds, inFlight, eventLoopDelayP99Seconds: delay } = last.requests;
  const of = (read: (load: Load) => number | undefined): readonly (number | undefined)[] => loads.map((load) => load && read(load));
  return (
    <Section title={T.now}>
      <div class="tiles">
        <Tile name={T.requests} value={now && T.perSecond(decimal(now.perSecond))} history={of(({ perSecond }) => perSecond)}>
          {T.inFlight(count(inFlight))}
        </Tile>
        <Tile name={T.p50} value={now && latency(now.p50, bounds)} history={of(({ p50 }) => p50)} />
        <Tile name={T.p99} value={now && latency(now.p99, bounds)} history={of(({ p99 }) => p99)}>
          {T.threadsLate(span(delay * 1e3))}
        </Tile>
        <Tile
          name={T.errors}
          value={now && T.perSecond(decimal(now.errorsPerSecond))}
          history={of(({ errorsPerSecond }) => errorsPerSecond)}
        />
        <Tile name={T.processors} value={decimalOf(processorsBetween(from, last))} history={processors} />
        <Tile name={T.memory} value={bytes(last.process.residentBytes)} history={samples.map(({ process }) => process.residentBytes)} />
      </div>
      <Busiest routes={busiestBetween(from, last, MOST_ROUTES)} bounds={bounds} />
    </Section>
  );
}

const decimalOf = (value: number | undefined): string | undefined => value?.toFixed(2);

interface TileProps {
  readonly name: string;
  /** Undefined before the second answer. */
  readonly value: string | undefined;
  readonly history: readonly (number | undefined)[];
  readonly children?: string;
}

function Tile({ name, value, history, children }: TileProps): JSX.Element {
  return (
    <div class="tile">
      <span class="hint">{name}</span>
      <strong>{value ?? '–'}</strong>
      <Sparkline values={history} />
      <span class="hint">{children}</span>
    </div>
  );
}

function Busiest({ routes, bounds }: { readonly routes: readonly RouteRate[]; readonly bounds: readonly number[] }): JSX.Element {
  const columns: readonly Column<RouteRate>[] = [
    { head: T.endpoint, cell: ({ name }) => (name === '' ? T.noEndpoint : <code>{name}</code>) },
    { head: T.aSecond, isNumber: true, cell: ({ perSecond }) => decimal(perSecond) },
    { head: T.p50, isNumber: true, cell: ({ p50 }) => latency(p50, bounds) },
    { head: T.p99, isNumber: true, cell: ({ p99 }) => latency(p99, bounds) },
    { head: T.errors, isNumber: true, cell: ({ errorsPerSecond }) => decimal(errorsPerSecond) },
  ];
  return (
    <div class="busiest">
      <h3>{T.busiest}</h3>
      {routes.length === 0 ? (
        <p class="hint">{T.quiet}</p>
      ) : (
        <Table caption={T.busiest} columns={columns} rows={routes} keyOf={({ name }) => name} />
      )}
    </div>
  );
}
