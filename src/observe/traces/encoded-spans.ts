/** Spans of a thread on their way to the collector. */
export interface EncodedSpans {
  readonly count: number;
  /** An `ExportTraceServiceRequest` of OTLP in protobuf. */
  readonly bytes: Uint8Array;
}
