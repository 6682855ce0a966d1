import { LIMITS } from '../config/limits.ts';
import { Refusal } from '../recipes/refusal.ts';
import { type BodyLeave, type BodyPlace, type Handler, isRefused } from './engine.ts';
import { KeptBody } from './kept-body.ts';
import { BUSY, refusalReply } from './refusals.ts';
import type { Reply } from './reply.ts';
import { bodyTimeMs, type HttpRequest, NO_BODY } from './request.ts';

const TOO_LARGE = refusalReply(new Refusal('body-too-large'));
const TOO_SLOW = refusalReply(new Refusal('body-too-slow'));
/** A refused body of undeclared length has this much time, and this many bytes, to end before it is answered. */
const DRAIN_MS = 1_000;
const DRAIN_BYTES = 65_536;
/** A refused body that declares more is not read to its end. */
const REST_BYTES = 2 * LIMITS.uploadBytes;

/** A request whose body comes in, and what is done for it. */
export interface BodyReceiver extends HttpRequest {
  /** Stops reading the connection, and goes on. */
  pause(): void;
  resume(): void;
  /** The whole body is there, lent for the call. */
  complete(body: Uint8Array): void;
  /** No more of the body is wanted. @param goesOn the rest is discarded and the connection goes on; else it ends */
  refuse(reply: Reply, goesOn: boolean): void;
}

/**
 * A body that comes in pieces. A sender who is refused by the head alone hears it before the body is taken in. The rest
 * of a refused body is discarded: most clients send all before they read, and closing early would take the answer away.
 */
export class IncomingBody {
  readonly #receiver: BodyReceiver;
  readonly #handler: Handler;
  readonly #declared: number | undefined;
  #size = 0;
  #isWhole = false;
  /** Whole, refused or given up: what still comes does not count. */
  #isOver = false;
  #isAsked = false;
  #place: BodyPlace | undefined;
  #kept: KeptBody | undefined;
  /** The answer once nothing of the body is wanted. */
  #verdict: Reply | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(receiver: BodyReceiver, handler: Handler) {
    this.#receiver = receiver;
    this.#handler = handler;
    this.#declared = receiver.head.contentLength;
  }

  /** Asks for leave, before the first piece or with it. */
  ask(): void {
    this.#isAsked = true;
    const leave = this.#handler.admitBody(this.#receiver);
    if (!(leave instanceof Promise)) {
      this.#answered(leave);
      return;
    }
    this.#receiver.pause();
    void leave.then((value) => {
      if (!this.#isOver) this.#receiver.resume();
      this.#answered(value);
    });
  }

  /** Refuses it, without asking for leave, once it has come. */
  refuse(reply: Reply): void {
    this.#isAsked = true;
    this.#answered(reply);
  }

  /** @param piece lent for the call */
  take(piece: Uint8Array, isLast: boolean): void {
    if (this.#isOver) return;
    this.#size += piece.length;
    this.#isWhole = isLast;
    const place = this.#place;
    const isInOne = isLast && !this.#verdict && this.#size === piece.length;
    if (isInOne && piece.length <= (place?.limit ?? this.#handler.smallBodyBytes)) {
      this.#complete(piece);
      return;
    }
    const isWanted = !this.#verdict && (!place || (place.isRead && this.#size <= place.limit));
    if (isWanted) {
      this.#kept ??= new KeptBody(Math.min(this.#declared ?? LIMITS.uploadBytes, LIMITS.uploadBytes));
      this.#kept.add(piece);
    }
    if (this.#isAsked) this.#judge();
    else this.ask();
  }

  /** It was read: its memory goes back, its room stays taken while the request is worked on. */
  drop(): void {
    this.#kept?.drop();
    this.#kept = undefined;
  }

  /** The answer is out or the connection gone. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.drop();
    this.#place?.release();
  }

  #answered(leave: BodyLeave): void {
    if (this.#isOver) {
      if (!isRefused(leave)) leave.release();
      return;
    }
    if (isRefused(leave)) this.#unwanted(leave);
    else this.#place = leave;
    this.#judge();
    if (this.#isOver) return;
    const [reply, patienceMs] = isRefused(leave) ? [leave, DRAIN_MS] : [TOO_SLOW, bodyTimeMs(this.#declared ?? leave.limit)];
    this.#timer = setTimeout(() => this.#refuse(reply, false), patienceMs);
  }

  #judge(): void {
    const place = this.#place;
    if (!place && !this.#verdict) return;
    if (place && !this.#verdict) {
      if (Math.max(this.#size, this.#declared ?? 0) > place.limit) this.#unwanted(TOO_LARGE);
      else if (place.isRead && !place.hold(this.#size)) this.#unwanted(BUSY);
    }
    if (!this.#verdict) {
      if (this.#isWhole) this.#complete(this.#kept?.bytes() ?? NO_BODY);
    } else if (this.#isWhole || this.#declared !== undefined || this.#size > DRAIN_BYTES) this.#refuse(this.#verdict);
  }

  #unwanted(reply: Reply): void {
    this.#verdict = reply;
    this.drop();
    this.#place?.release();
  }

  #complete(body: Uint8Array): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#receiver.complete(body);
  }

  #refuse(reply: Reply, goesOn: boolean = this.#declared !== undefined && this.#declared <= REST_BYTES): void {
    this.end();
    this.#receiver.refuse(reply, goesOn);
  }
}
