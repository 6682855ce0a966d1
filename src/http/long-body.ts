import { setImmediate as nextTurn } from 'node:timers/promises';

/** A body too long to be made at once. What its pieces are read from is held until the last piece or `end`. */
export interface BodyPieces {
  /** The next piece, nothing at the end. Rejects where it cannot be made; then the body is over. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends the body early, perhaps before its first piece; does nothing after its end. */
  end(): Promise<void>;
}

/** Texts of at most so many characters, nearly all lists, are joined and sent as one, with their length. */
const WHOLE_CHARS = 65_536;
/** Least characters of a piece that is sent, but for the last: enough that a write is worth its while. */
const PIECE_CHARS = 32_768;
/** How long this thread works on bodies in one turn of the event loop; all other requests wait for it. */
const SLICE_MS = 1;

/** Turns of the event loop; however many bodies are being made, each takes one turn after the other. */
let lastTurn: Promise<void> = Promise.resolve();

function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** Joins the pieces, with turns of the event loop in between; for a long text, answers what makes the rest. */
export async function gatherText(pieces: AsyncIterable<string>): Promise<string | BodyPieces> {
  const slices = inSlices(pieces);
  let text = '';
  while (text.length <= WHOLE_CHARS) {
    const { done, value } = await slices.next();
    if (done) return `${text}\n`;
    text += value;
  }
  return new LongBody(text, slices);
}

async function* inSlices(pieces: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let until = performance.now() + SLICE_MS;
  for await (const piece of pieces) {
    yield piece;
    if (performance.now() < until) continue;
    await ownTurn();
    until = performance.now() + SLICE_MS;
  }
}

class LongBody implements BodyPieces {
  #first: string | undefined;
  readonly #rest: AsyncGenerator<string, undefined>;
  #isOver = false;

  /** @param rest already begun, so that it can be told of an early end */
  constructor(first: string, rest: AsyncGenerator<string, undefined>) {
    this.#first = first;
    this.#rest = rest;
  }

  async next(): Promise<Uint8Array | undefined> {
    if (this.#isOver) return undefined;
    if (this.#first !== undefined) {
      const first = this.#first;
      this.#first = undefined;
      return Buffer.from(first);
    }
    let text = '';
    while (text.length < PIECE_CHARS) {
      const { done, value } = await this.#rest.next();
      if (done) {
        this.#isOver = true;
        return Buffer.from(`${text}\n`);
      }
      text += value;
    }
    return Buffer.from(text);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#rest.return(undefined);
  }
}

/** Bytes as they come. */
export function piecesOf(bytes: AsyncIterator<Uint8Array, undefined>): BodyPieces {
  return {
    next: async () => (await bytes.next()).value,
    end: async () => {
      await bytes.return?.();
    },
  };
}

/** The same pieces; `ended` is called once when they are over, with the error where they failed. */
export function watchPieces(pieces: BodyPieces, ended: (fault?: { readonly thrown: unknown }) => void): BodyPieces {
  let isOver = false;
  const over = (fault?: { readonly thrown: unknown }): void => {
    if (isOver) return;
    isOver = true;
    ended(fault);
  };
  return {
    next: async () => {
      try {
        const piece = await pieces.next();
        if (piece === undefined) over();
        return piece;
      } catch (thrown) {
        over({ thrown });
        throw thrown;
      }
    },
    end: async () => {
      await pieces.end();
      over();
    },
  };
}
