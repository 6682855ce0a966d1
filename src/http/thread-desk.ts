import type { Observation } from '../observe/metrics.ts';
import { RequestWindows } from '../observe/request-stats.ts';
import type { Ask, FromThread, QuestionName, Questions, ToThread } from './thread-messages.ts';

type Answers = { readonly [Q in QuestionName]: (asked: Questions[Q]['asked']) => Questions[Q]['answer'] | Promise<Questions[Q]['answer']> };

/** The main thread's desk for what HTTP threads count and ask. */
export class ThreadDesk {
  readonly #windows = new RequestWindows();
  readonly #answers: Answers;

  constructor(observed: Observation, isReady: () => boolean) {
    this.#answers = {
      'request-stats': ({ app }) => this.#windows.stats(app, Date.now()),
      metrics: lazyMetrics(observed),
      ready: isReady,
    };
  }

  /** Takes in a message of a thread; `reply` reaches that thread. */
  accept(message: FromThread, reply: (message: ToThread) => void): void {
    if (message.kind === 'counted') this.#windows.add(message.count);
    if (message.kind === 'ask') void this.#answer(message, reply);
  }

  async #answer(message: Ask, reply: (message: ToThread) => void): Promise<void> {
    try {
      const answer =
        message.question === 'request-stats' ? this.#answers[message.question](message.asked) : this.#answers[message.question](undefined);
      reply({ kind: 'answer', id: message.id, answer: await answer });
    } catch {
      reply({ kind: 'refused', id: message.id });
    }
  }
}

/** The metrics library is loaded at the first scrape: a start does not wait for it, and who never scrapes never pays. */
function lazyMetrics(observed: Observation): Answers['metrics'] {
  let loading: Promise<{ readonly contentType: string; text(): Promise<string> }> | undefined;
  return async () => {
    loading ??= import('../observe/metrics.ts').then(({ Metrics }) => new Metrics(observed));
    const metrics = await loading;
    return { contentType: metrics.contentType, text: await metrics.text() };
  };
}
