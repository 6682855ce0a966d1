import {
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, type ReadableSpan, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { EncodedSpans } from './encoded-spans.ts';
import { Sampler, type SamplingRate } from './sampler.ts';
import { type Span, type SpanAttributes, UNRECORDED } from './span.ts';

/** Spans of one trace: a list of any length is read in as many rounds as it takes. */
const MOST_SPANS_OF_A_TRACE = 128;
/** Spans are handed over as soon as there are so many (encoding them takes a millisecond), or a second has passed. */
const BATCH = 256;
const EVERY_MS = 1_000;
/** Characters of an attribute: names of apps and routes are shorter. */
const LONGEST_VALUE = 256;

/** What the spans of a thread say of where they come from. */
export interface SpanOrigin {
  readonly serviceName: string;
  readonly version: string;
  /** Of the process; no other one has it, on this machine or elsewhere. */
  readonly instanceId: string;
  readonly thread: string;
}

/**
 * The traces of one thread: which requests are recorded, and their spans. They are encoded here and handed over; who
 * gets them sends them.
 */
export class Traces {
  readonly #sampler: Sampler;
  readonly #tracer: Tracer;
  readonly #batches: Batches;
  readonly #thread: string;

  /** @param give takes spans that are over, encoded as OTLP wants them */
  constructor({ serviceName, version, instanceId, thread }: SpanOrigin, rate: SamplingRate, give: (spans: EncodedSpans) => void) {
    this.#sampler = new Sampler(rate);
    this.#batches = new Batches(give);
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version, 'service.instance.id': instanceId }),
      // What is not to be recorded never gets here.
      sampler: new AlwaysOnSampler(),
      spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
      spanProcessors: [this.#batches],
    });
    this.#tracer = provider.getTracer('watchword', version);
    this.#thread = thread;
  }

  /** How many traces were wanted, and not recorded because they were too many. */
  get skipped(): number {
    return this.#sampler.skipped;
  }

  /** Goes on with another rate. */
  use(rate: SamplingRate): void {
    this.#sampler.use(rate);
  }

  /** Begins the span of a request; undefined where it is not recorded. @param traceparent the header as sent */
  request(traceparent: string | undefined): Span | undefined {
    const sampled = this.#sampler.decide(traceparent);
    if (!sampled) return undefined;
    const { caller } = sampled;
    const context = caller
      ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, traceFlags: TraceFlags.SAMPLED, isRemote: true })
      : ROOT_CONTEXT;
    return this.#begin('request', SpanKind.SERVER, context);
  }

  /** Begins the span of work that no request waits for, such as a run of a job; undefined where it is not recorded. */
  work(name: string, attributes?: SpanAttributes): Span | undefined {
    if (!this.#sampler.decide()) return undefined;
    const span = this.#begin(name, SpanKind.INTERNAL, ROOT_CONTEXT);
    if (attributes) span.set(attributes);
    return span;
  }

  /** Hands over what is left. */
  close(): void {
    this.#batches.close();
  }

  #begin(name: string, kind: SpanKind, context: Context): Span {
    const aheadMs = Date.now() - performance.now();
    const options = { kind, attributes: { 'thread.name': this.#thread }, startTime: aheadMs + performance.now() };
    const span = this.#tracer.startSpan(name, options, context);
    return new RecordedSpan(this.#tracer, span, { left: MOST_SPANS_OF_A_TRACE - 1, aheadMs });
  }
}

/** What the spans of a trace share. */
interface SharedBySpans {
  /** How many more there may be. */
  left: number;
  /** From the clock that only goes forward to the time of day: one for all, so that they lie within each other. */
  readonly aheadMs: number;
}

class RecordedSpan implements Span {
  readonly #tracer: Tracer;
  readonly #span: OtelSpan;
  readonly #shared: SharedBySpans;
  #within: Context | undefined;

  constructor(tracer: Tracer, span: OtelSpan, shared: SharedBySpans) {
    this.#tracer = tracer;
    this.#span = span;
    this.#shared = shared;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  begin(name: string, attributes?: SpanAttributes): Span {
    const span = this.#open(name, attributes);
    return span ? new RecordedSpan(this.#tracer, span, this.#shared) : UNRECORDED;
  }

  took(name: string, startedAt: number, endedAt: number, attributes?: SpanAttributes): void {
    this.#open(name, attributes, startedAt)?.end(this.#shared.aheadMs + endedAt);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  failed(reason: unknown): void {
    this.#span.setAttribute('error.type', reason instanceof Error ? reason.name : String(reason));
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end(this.#shared.aheadMs + performance.now());
  }

  #open(name: string, attributes: SpanAttributes = {}, startedAt = performance.now()): OtelSpan | undefined {
    if (this.#shared.left <= 0) return undefined;
    this.#shared.left -= 1;
    this.#within ??= trace.setSpan(ROOT_CONTEXT, this.#span);
    return this.#tracer.startSpan(name, { attributes, startTime: this.#shared.aheadMs + startedAt }, this.#within);
  }
}

/** Collects spans that are over, and hands them over encoded. It holds a batch at most, so nothing of it is lost. */
class Batches implements SpanProcessor {
  readonly #give: (spans: EncodedSpans) => void;
  readonly #timer: NodeJS.Timeout;
  #spans: ReadableSpan[] = [];

  constructor(give: (spans: EncodedSpans) => void) {
    this.#give = give;
    this.#timer = setInterval(() => this.#flush(), EVERY_MS);
    this.#timer.unref();
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#spans.push(span) >= BATCH) this.#flush();
  }

  async forceFlush(): Promise<void> {
    this.#flush();
  }

  async shutdown(): Promise<void> {
    this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#flush();
  }

  #flush(): void {
    const spans = this.#spans;
    if (spans.length === 0) return;
    this.#spans = [];
    const bytes = ProtobufTraceSerializer.serializeRequest(spans);
    if (bytes) this.#give({ count: spans.length, bytes });
  }
}
