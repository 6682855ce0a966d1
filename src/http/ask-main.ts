import type { Ask, QuestionName, Questions, ToThread } from './thread-messages.ts';

/** Main answers at once, but on a busy machine it may wait for a core itself; longer than this it is stuck or gone. */
const ANSWER_LIMIT_MS = 10_000;

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly limit: NodeJS.Timeout;
}

/** The thread's side of its questions to main. */
export class AskMain {
  readonly #pending = new Map<number, Pending>();
  readonly #post: (message: Ask) => void;
  #lastId = 0;

  constructor(post: (message: Ask) => void) {
    this.#post = post;
  }

  /** Rejects when main refuses, or says nothing for ten seconds. */
  ask<Q extends QuestionName>(question: Q, asked: Questions[Q]['asked']): Promise<Questions[Q]['answer']> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => this.#settle(id, ({ reject: fail }) => fail(new Error(`main did not answer "${question}"`))),
        ANSWER_LIMIT_MS,
      );
      this.#pending.set(id, { resolve, reject, limit });
      this.#post({ kind: 'ask', id, question, asked } as Ask);
    });
  }

  /** Takes in a message of main; answers false when it was no answer. */
  accept(message: ToThread): boolean {
    if (message.kind === 'answer') this.#settle(message.id, ({ resolve }) => resolve(message.answer as never));
    else if (message.kind === 'refused') this.#settle(message.id, ({ reject }) => reject(new Error('main refused to answer')));
    else return false;
    return true;
  }

  #settle(id: number, how: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    clearTimeout(pending.limit);
    how(pending);
  }
}
