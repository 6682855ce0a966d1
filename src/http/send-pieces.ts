import type { BodyPieces } from './long-body.ts';
import { bodyTimeMs } from './request.ts';

/** Where an engine puts the pieces of a body. */
export interface PieceSink {
  /** Sends a piece. False: the client has not yet taken earlier ones; `Sending.drained` tells when it has. */
  write(piece: Uint8Array): boolean;
  /** Ends the answer as it should. */
  finish(): void;
  /** Breaks the connection, so that nobody takes what was sent for the whole answer. */
  cut(): void;
}

/** A client that takes nothing for this long is dropped, as an idle connection is. */
const STALLED_MS = 10_000;

/**
 * A body on its way, at the pace of its client, with a piece or two in memory. What it is read from is held meanwhile,
 * so a client slower than the slowest upload that is waited for is dropped.
 */
export class Sending {
  readonly #pieces: BodyPieces;
  readonly #sink: PieceSink;
  #sent = 0;
  /** How long the client was waited for, ms. */
  #waited = 0;
  #isGone = false;
  /** Ends the wait for the client. */
  #goOn = (): void => {};

  constructor(pieces: BodyPieces, sink: PieceSink) {
    this.#pieces = pieces;
    this.#sink = sink;
  }

  /** Resolves when the answer is out or given up, and nothing is held for it. Never rejects: pieces report faults. */
  async run(): Promise<void> {
    try {
      await this.#sendAll();
    } catch {
      this.#cut();
    }
    await this.#pieces.end().catch(() => {});
  }

  /** The client took what was sent. */
  drained(): void {
    this.#goOn();
  }

  /** The connection is gone; nothing more is written. */
  gone(): void {
    this.#isGone = true;
    this.#goOn();
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const piece = await this.#pieces.next();
      if (this.#isGone) return;
      if (piece === undefined) {
        this.#sink.finish();
        return;
      }
      this.#sent += piece.length;
      if (!this.#sink.write(piece)) await this.#untilDrained();
      if (this.#isGone) return;
    }
  }

  async #untilDrained(): Promise<void> {
    const since = performance.now();
    const limitMs = Math.min(STALLED_MS, bodyTimeMs(this.#sent) - this.#waited);
    await new Promise<void>((resolve) => {
      const limit = setTimeout(() => {
        this.#cut();
        resolve();
      }, limitMs);
      this.#goOn = () => {
        clearTimeout(limit);
        resolve();
      };
    });
    this.#waited += performance.now() - since;
  }

  #cut(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#sink.cut();
  }
}
