import type { Post, PostOutcome } from '../../outbound/outbound.ts';
import { signatureHeaders } from '../../crypto/webhook-signature.ts';
import { type Attempt, faultIn, isAway, isDue, isResting, judge } from './judge.ts';
import { ATTEMPTS_AT_ONCE, BATCH, BATCH_MS } from './limits.ts';
import type { Message, Webhook, WebhookState } from './records.ts';
import { secretsInForce } from './secrets.ts';

/** What sending needs of the world. */
export interface Sender {
  readonly post: (post: Post) => Promise<PostOutcome>;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** ms on a clock that only goes forward. */
  readonly elapsed: () => number;
  /** Uniform in [0, 1). */
  readonly randomUnit: () => number;
}

/** What receivers see of us. */
const AGENT = 'Watchword-Webhooks/1';

/** The post of a message. @param now of the attempt, ms since the epoch */
export function postOf(webhook: Webhook, { event: id, body }: Pick<Message, 'event' | 'body'>, now: number): Post {
  const signed = signatureHeaders(secretsInForce(webhook, now), { id, timestamp: Math.floor(now / 1000), body });
  return { url: webhook.url, headers: { 'content-type': 'application/json', 'user-agent': AGENT, ...signed }, body };
}

/** The lines that may go on now, each in its order. Of a target that is away one, that which waits longest. */
export function dueLines(messages: readonly Message[], state: WebhookState, now: number): readonly (readonly Message[])[] {
  const lines = linesOf(messages);
  if (!isAway(state)) return lines.filter(([first]) => first && isDue(first, state, now));
  if (isResting(state, now)) return [];
  const triedAt = ([first]: readonly Message[]): number => first?.lastTriedAt ?? 0;
  return lines
    .toSorted((a, b) => triedAt(a) - triedAt(b))
    .slice(0, 1)
    .map((line) => line.slice(0, 1));
}

/** When a line may go on that may not now, ms since the epoch. */
export function nextDueAt(messages: readonly Message[]): number {
  return Math.min(...linesOf(messages).map(([first]) => first?.nextAt ?? 0));
}

function linesOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const lines = new Map<string, Message[]>();
  for (const message of messages) {
    const line = lines.get(message.line);
    if (line) line.push(message);
    else lines.set(message.line, [message]);
  }
  return [...lines.values()];
}

/**
 * Sends some messages, a few lines at a time and each line in its order up to its first failure. Answers what came of
 * them, in the order of their ends; begins nothing more once the target seems away, or `isStopping` says so.
 */
export async function sendBatch(
  webhook: Webhook,
  before: WebhookState,
  lines: readonly (readonly Message[])[],
  sender: Sender,
  isStopping: () => boolean,
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  const waiting = lines.values();
  const deadline = sender.elapsed() + BATCH_MS;
  let state = before;
  let begun = 0;
  const mayBegin = (): boolean => !isStopping() && begun < BATCH && sender.elapsed() < deadline && (begun === 0 || !isAway(state));
  const sendLines = async (): Promise<void> => {
    // The iterator is shared: each line is sent by one of those who run this.
    for (const line of waiting) {
      for (const message of line) {
        if (!mayBegin()) return;
        begun += 1;
        const attempt = await attemptOf(webhook, message, sender);
        attempts.push(attempt);
        state = judge(webhook, state, attempt).state;
        if (faultIn(attempt.outcome) !== null) break;
      }
    }
  };
  await Promise.all(Array.from({ length: ATTEMPTS_AT_ONCE }, sendLines));
  return attempts;
}

async function attemptOf(webhook: Webhook, message: Message, { post, now, elapsed, randomUnit }: Sender): Promise<Attempt> {
  const begunAt = elapsed();
  const outcome = await post(postOf(webhook, message, now()));
  return { message, outcome, at: now(), ms: Math.round(elapsed() - begunAt), unit: randomUnit() };
}
