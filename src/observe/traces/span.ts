/** What is known of a span: names of OpenTelemetry's conventions where there are, else beginning with `watchword.`. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A piece of work that is recorded, from its beginning to `end`. Times are those of `performance.now()`. */
export interface Span {
  /** 32 hexadecimal digits, by which a collector finds the trace. */
  readonly traceId: string;
  /** Begins a span within this one. */
  begin(name: string, attributes?: SpanAttributes): Span;
  /** Adds a span within this one that is over. */
  took(name: string, startedAt: number, endedAt: number, attributes?: SpanAttributes): void;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed. @param reason of an error only its class is told: texts may hold what callers sent */
  failed(reason: unknown): void;
  end(): void;
}

/** What stands in for the spans of a trace beyond the most that it may have. */
export const UNRECORDED: Span = {
  traceId: '',
  begin: () => UNRECORDED,
  took: () => {},
  rename: () => {},
  set: () => {},
  failed: () => {},
  end: () => {},
};

/** Runs something within a span that ends with it. */
export function spanning<T>(span: Span, run: () => T): T {
  const fail = (error: unknown): void => {
    span.failed(error);
    span.end();
  };
  try {
    const result = run();
    if (result instanceof Promise) result.then(() => span.end(), fail);
    else span.end();
    return result;
  } catch (error) {
    fail(error);
    throw error;
  }
}
