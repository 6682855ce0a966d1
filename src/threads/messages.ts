import type { EncodedSpans } from '../observe/traces/encoded-spans.ts';
import type { SecondCount } from '../observe/request-stats.ts';
import type { InForce } from './plan.ts';

/** What a thread hands to main as it goes on. */
export type News =
  | { readonly kind: 'counted'; readonly count: SecondCount }
  /** Spans that are over, for the collector. */
  | ({ readonly kind: 'spans' } & EncodedSpans);

/** What a thread tells main unasked. What it asks of main goes over its port (`MainTasks`). */
export type FromThread =
  /** Everything but the listener is open; says whether several threads can listen on one port. */
  | { readonly kind: 'prepared'; readonly sharesPort: boolean }
  /** It listens, on this port. */
  | { readonly kind: 'listening'; readonly port: number }
  /** It can not do its work and ends; the first line of the reason. */
  | { readonly kind: 'failed'; readonly reason: string }
  | News
  /** The configuration that it was told to take over is in force in it. */
  | { readonly kind: 'reloaded' };

export type ToThread =
  /** @param port 0 for any free one */
  | { readonly kind: 'listen'; readonly port: number }
  /** Go on with this configuration. */
  | { readonly kind: 'reload'; readonly loaded: InForce }
  /** Accept nothing more, finish what is in flight, close, exit 0. */
  | { readonly kind: 'stop' };
