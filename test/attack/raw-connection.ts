import { connect } from 'node:net';

/** What came back over one connection. */
export interface RawOutcome {
  readonly text: string;
  /** The status codes of all answers in it, in order. */
  readonly statuses: readonly number[];
  /** True when the other side closed the connection before the time limit. */
  readonly closed: boolean;
}

export interface RawScript {
  /** What is written: bytes, or a pause in ms between them. */
  readonly send: readonly (string | Buffer | number)[];
  /** Ends the wait as soon as this many answers have begun; without it, only closing or the limit ends it. */
  readonly answers?: number;
  readonly limitMs?: number;
  /** Breaks the connection (RST) once everything is written. */
  readonly reset?: boolean;
}

/** Long: who expects an answer waits for that alone. */
const PATIENCE_MS = 20_000;
const STATUS_LINE = /HTTP\/1\.1 (\d{3})/g;

/** Plays a script over a TCP connection of its own; never rejects for what the other side does. */
export async function playRaw(port: number, script: RawScript): Promise<RawOutcome> {
  const socket = connect({ port, host: '127.0.0.1' });
  const chunks: Buffer[] = [];
  let closed = false;
  const text = (): string => Buffer.concat(chunks).toString('latin1');
  const statuses = (): number[] => [...text().matchAll(STATUS_LINE)].map((match) => Number(match[1]));
  const finished = new Promise<void>((done) => {
    const limit = setTimeout(done, script.limitMs ?? PATIENCE_MS);
    const finish = (): void => {
      clearTimeout(limit);
      done();
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (script.answers !== undefined && statuses().length >= script.answers) finish();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed = true;
      finish();
    });
  });
  await new Promise<void>((done) => {
    socket.once('connect', done);
    socket.once('close', () => done());
  });
  for (const part of script.send) {
    if (socket.destroyed) break;
    if (typeof part === 'number') await new Promise((done) => setTimeout(done, part));
    else socket.write(part);
  }
  if (script.reset) socket.resetAndDestroy();
  await finished;
  socket.destroy();
  return { text: text(), statuses: statuses(), closed };
}

/** A request as bytes. `length` overrides the Content-Length; headers are written as they are. */
export function request(method: string, path: string, body = '', headers: readonly string[] = []): string {
  const own = headers.some((line) => /^(?:content-length|transfer-encoding):/i.test(line))
    ? []
    : [`Content-Length: ${Buffer.byteLength(body)}`];
  const host = headers.some((line) => /^host:/i.test(line)) ? [] : ['Host: 127.0.0.1'];
  return `${[`${method} ${path} HTTP/1.1`, ...host, ...own, ...headers].join('\r\n')}\r\n\r\n${body}`;
}
