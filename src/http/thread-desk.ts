import type { Metrics, Observation } from '../observe/metrics.ts';
import { RequestWindows } from '../observe/request-stats.ts';
import type { Ask, FromThread, QuestionName, Questions, ToThread } from './thread-messages.ts';

type Answers = { readonly [Q in QuestionName]: (asked: Questions[Q]['asked']) => Questions[Q]['answer'] | Promise<Questions[Q]['answer']> };

/** The main thread's desk for what HTTP threads count and ask. */
export class ThreadDesk {
  readonly #windows = new RequestWindows();
  readonly #answers: Answers;

  constructor(observed: Omit<Observation, 'routes'>, isReady: () => boolean) {
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

/** The metrics library and the labels are loaded at the first scrape: a start does not wait for them, and who never scrapes never pays. */
function lazyMetrics(observed: Omit<Observation, 'routes'>): Answers['metrics'] {
  let loading: Promise<Metrics> | undefined;
  const load = async (): Promise<Metrics> => {
    const [{ Metrics }, { COUNTED_ROWS }] = await Promise.all([import('../observe/metrics.ts'), import('./counted-rows.ts')]);
    return new Metrics({ ...observed, routes: COUNTED_ROWS });
  };
  return async () => {
    loading ??= load();
    const metrics = await loading;
    return { contentType: metrics.contentType, text: await metrics.text() };
  };
}
