import type { PostOutcome } from '../../outbound/outbound.ts';
import { hasCome, LONGEST_REST_MS, LONGEST_WAIT_MS, restAfter, waitAfter } from './back-off.ts';
import { AWAY_AFTER, GIVE_UP_MS, MOST_ATTEMPTS } from './limits.ts';
import type { AttemptRecord, Message, Webhook, WebhookState } from './records.ts';

/** An attempt that has ended. */
export interface Attempt {
  readonly message: Message;
  readonly outcome: PostOutcome;
  /** When it ended, ms since the epoch. */
  readonly at: number;
  /** How long it took. */
  readonly ms: number;
  /** Random, uniform in [0, 1). */
  readonly unit: number;
}

/** What becomes of a message. */
export type Fate = 'delivered' | 'again' | 'dead';

/** What follows from an attempt. */
export interface Judgement {
  readonly fate: Fate;
  /** As it is kept, unless it was delivered. */
  readonly message: Message;
  readonly state: WebhookState;
}

/** Whether so much failed in a row that the target must be away: then one message is tried now and then, no more. */
export const isAway = ({ failedInRow }: WebhookState): boolean => failedInRow >= AWAY_AFTER;

/** Whether a target that is away is left alone. */
export const isResting = (state: WebhookState, now: number): boolean => isAway(state) && !hasCome(state.restUntil, now, LONGEST_REST_MS);

/** Whether a message may be tried, as far as its own past says. */
export function isDue(message: Message, { cameBackAt }: WebhookState, now: number): boolean {
  return hasCome(message.nextAt, now, LONGEST_WAIT_MS) || isFromBefore(message, cameBackAt);
}

/** Whether a message was not tried since the target came back. */
const isFromBefore = ({ lastTriedAt }: Message, cameBackAt: number): boolean => lastTriedAt === null || lastTriedAt < cameBackAt;

/** Why an outcome is no delivery; null where it is one. */
export function faultIn(outcome: PostOutcome): string | null {
  if ('fault' in outcome) return outcome.fault;
  const { status } = outcome;
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`;
}

/** What becomes of a message and its webhook after an attempt. */
export function judge({ switchedAt }: Webhook, before: WebhookState, attempt: Attempt): Judgement {
  const { message, outcome, at } = attempt;
  const fault = faultIn(outcome);
  const state = noted(before, attempt, fault);
  if (fault === null) return { fate: 'delivered', message, state: afterSuccess(state, at) };
  const failed = afterFailure(state, attempt);
  const attempts = message.attempts + 1;
  const firstTriedAt = message.firstTriedAt ?? at;
  const nextAt = at + waitAfter(attempts, attempt.unit);
  const isOver = !isAway(failed) && at - Math.max(firstTriedAt, switchedAt) >= GIVE_UP_MS;
  return {
    fate: isOver ? 'dead' : 'again',
    message: { ...message, attempts, nextAt, firstTriedAt, lastTriedAt: at, fault },
    state: failed,
  };
}

function noted(state: WebhookState, { message, outcome, at, ms }: Attempt, fault: string | null): WebhookState {
  const status = 'status' in outcome ? outcome.status : null;
  const attempt: AttemptRecord = { sequence: message.sequence, kind: message.kind, at, ms, status, fault };
  return { ...state, attempts: [attempt, ...state.attempts].slice(0, MOST_ATTEMPTS) };
}

function afterSuccess(state: WebhookState, at: number): WebhookState {
  return { ...state, ...WORKING, deliveredAt: at, ...(isAway(state) && { cameBackAt: at }) };
}

/** The part of a state that says that a target works. */
export const WORKING = { failedInRow: 0, failingSince: null, probes: 0, restUntil: 0 } as const;

function afterFailure(state: WebhookState, { message, at, unit }: Attempt): WebhookState {
  // One user's message that fails again and again says nothing of the target.
  const failedInRow = state.failedInRow + (isFromBefore(message, state.cameBackAt) ? 1 : 0);
  const failed = { ...state, failedInRow, failingSince: state.failingSince ?? at };
  // What was under way already when the rest began tells nothing new.
  if (!isAway(failed) || isResting(state, at)) return failed;
  const probes = state.probes + 1;
  return { ...failed, probes, restUntil: at + restAfter(probes, unit) };
}

/** Whether a target has been away for so long that nothing more is sent. */
export function isGivenUp({ switchedAt }: Webhook, state: WebhookState, now: number): boolean {
  return isAway(state) && state.failingSince !== null && now - Math.max(state.failingSince, switchedAt) >= GIVE_UP_MS;
}
