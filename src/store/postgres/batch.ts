import type { Connection as Wire, Query } from 'pg';
import type { Statement } from './statements.ts';

/** A statement of a batch, with the name under which the session knows it; none where it is parsed each time. */
export interface NamedStatement extends Statement {
  readonly name: string | undefined;
  /** Whether the session has parsed it. */
  readonly isParsed: boolean;
}

/** In text, the only format that the driver sends for arrays. */
function encoded(value: unknown): Buffer | string {
  if (value instanceof Buffer) return value;
  if (!Array.isArray(value)) return String(value);
  return `{${value.map((each) => (each instanceof Buffer ? `"\\\\x${each.toString('hex')}"` : String(each))).join(',')}}`;
}

function write(wire: Wire, { name, text, values, isParsed }: NamedStatement): void {
  if (!isParsed) {
    // A batch that failed before may have left it there; there is no harm in closing what is not.
    if (name !== undefined) wire.close({ type: 'S', name }, false);
    wire.parse({ name: name ?? '', text, types: [] }, false);
  }
  wire.bind({ statement: name ?? '', values: values.map(encoded) }, false);
  wire.execute(null, false);
}

/**
 * Makes an empty query of the driver one that sends statements as one unit of the protocol: the first that fails ends
 * it, and what stands behind it is never run, even where the failure was that of BEGIN. Their rows are dropped.
 */
export function asBatch(query: Query, statements: readonly NamedStatement[], done: (error: Error | null) => void): Query {
  return Object.assign(query, {
    callback: done,
    submit: (wire: Wire) => {
      wire.stream.cork();
      for (const statement of statements) write(wire, statement);
      wire.sync();
      wire.stream.uncork();
    },
    handleDataRow: () => {},
    handleCommandComplete: () => {},
  });
}
