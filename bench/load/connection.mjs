// A keep-alive HTTP/1.1 connection that does as little as possible, so that the generator is not what is measured.
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const EXCHANGE_LIMIT_MS = 60_000;

/**
 * One request after the other; answers must carry a Content-Length.
 * @typedef {{ status: number, head: string, body: string, bytes: number }} Answer `bytes`: of head and body
 */
export class Connection {
  #socket;
  #received = Buffer.alloc(0);
  #waiting;

  /** Connects to a loopback port. */
  static async open(port) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await new Promise((done, failed) => {
      socket.once('connect', done);
      socket.once('error', failed);
    });
    return new Connection(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    socket.setTimeout(EXCHANGE_LIMIT_MS, () => socket.destroy(new Error('no answer in time')));
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  get usable() {
    return !this.#socket.destroyed;
  }

  /** Sends the bytes of one request and waits for its answer. */
  exchange(bytes) {
    return new Promise((done, failed) => {
      if (this.#waiting) throw new Error('one exchange at a time');
      this.#waiting = { done, failed };
      if (this.#socket.destroyed) this.#fail(new Error('the connection is closed'));
      else this.#socket.write(bytes);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #receive(chunk) {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = CONTENT_LENGTH.exec(head);
    if (!length) {
      this.#socket.destroy(new Error(`an answer without Content-Length: ${head}`));
      return;
    }
    const bodyStart = headEnd + HEAD_END.length;
    const bytes = bodyStart + Number(length[1]);
    if (this.#received.length < bytes) return;
    const body = this.#received.toString('utf8', bodyStart, bytes);
    this.#received = this.#received.subarray(bytes);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.done({ status: Number(head.slice(9, 12)), head, body, bytes });
  }

  #fail(error) {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.failed(error);
  }
}

/** One request on a connection of its own. */
export async function exchangeOnce(port, bytes) {
  const connection = await Connection.open(port);
  try {
    return await connection.exchange(bytes);
  } finally {
    connection.close();
  }
}
