/*
 * Reads what OTLP sends (opentelemetry-proto 1: trace.proto, common.proto), by the wire format of protobuf, so that nothing of what wrote it is
 * trusted here.
 */

/** A span as a collector sees it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server. */
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** 2: failed. */
  readonly status: number;
  /** Attributes of where it comes from. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

type Value = bigint | Uint8Array;
type Message = ReadonlyMap<number, readonly Value[]>;

function varint(bytes: Uint8Array, at: number): [value: bigint, next: number] {
  let value = 0n;
  for (let shift = 0n, position = at; ; shift += 7n, position += 1) {
    const byte = bytes[position];
    if (byte === undefined) throw new Error('a number is cut off');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [value, position + 1];
  }
}

/** The fields of a message by number; fixed ones as their bytes. */
function message(bytes: Uint8Array): Message {
  const fields = new Map<number, Value[]>();
  for (let at = 0; at < bytes.length; ) {
    const [tag, begin] = varint(bytes, at);
    const wire = Number(tag & 7n);
    const [first, next] = wire === 0 || wire === 2 ? varint(bytes, begin) : [0n, begin];
    const length = [0, 8, Number(first), 0, 0, 4][wire] ?? 0;
    const value = wire === 0 ? first : bytes.subarray(next, next + length);
    if (typeof value !== 'bigint' && value.length !== length) throw new Error('a field is cut off');
    const number = Number(tag >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), value]);
    at = next + length;
  }
  return fields;
}

const bytesOf = (from: Message, field: number): Uint8Array[] => (from.get(field) ?? []).filter((value) => typeof value !== 'bigint');
const messages = (from: Message, field: number): Message[] => bytesOf(from, field).map(message);
const hex = (from: Message, field: number): string => Buffer.from(bytesOf(from, field)[0] ?? []).toString('hex');
const text = (from: Message, field: number): string => Buffer.from(bytesOf(from, field)[0] ?? []).toString();
const number = (from: Message, field: number): number => Number(from.get(field)?.[0] ?? 0);
const fixed = (from: Message, field: number): bigint => Buffer.from(bytesOf(from, field)[0] ?? new Uint8Array(8)).readBigUInt64LE();

function attributes(from: Message, field: number): Record<string, string | number | boolean> {
  return Object.fromEntries(
    messages(from, field).map((pair) => {
      const [value] = messages(pair, 2);
      if (!value) throw new Error('an attribute without a value');
      if (value.has(2)) return [text(pair, 1), number(value, 2) === 1];
      if (value.has(3)) return [text(pair, 1), number(value, 3)];
      if (value.has(4)) return [text(pair, 1), Buffer.from(bytesOf(value, 4)[0] ?? []).readDoubleLE()];
      return [text(pair, 1), text(value, 1)];
    }),
  );
}

/** The spans of an `ExportTraceServiceRequest`. */
export function spansOf(body: Uint8Array): ReceivedSpan[] {
  return messages(message(body), 1).flatMap((group) => {
    const resource = messages(group, 1).reduce((all, one) => ({ ...all, ...attributes(one, 1) }), {});
    return messages(group, 2)
      .flatMap((scope) => messages(scope, 2))
      .map((span) => ({
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentId: hex(span, 4),
        name: text(span, 5),
        kind: number(span, 6),
        startNs: fixed(span, 7),
        endNs: fixed(span, 8),
        attributes: attributes(span, 9),
        status: messages(span, 15).map((status) => number(status, 3))[0] ?? 0,
        resource,
      }));
  });
}
