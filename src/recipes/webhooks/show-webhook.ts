import { isAway } from './judge.ts';
import type { KnownWebhook } from './find-webhook.ts';

/** A webhook as operators see it: never a secret. Times are ms since the epoch. */
export interface ShownWebhook {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly string[];
  readonly tenantId: string | null;
  readonly description: string;
  readonly isEnabled: boolean;
  /** Why the core disabled it. */
  readonly disabledBecause: string | null;
  readonly createdAt: number;
  /** Until when the secret before the newest signs too; null: there is none. */
  readonly oldSecretUntil: number | null;
  /** Events up to this sequence number were looked at. */
  readonly position: number;
  readonly queued: number;
  readonly deadLetters: number;
  readonly lastDeliveredAt: number | null;
  /** Since when nothing was delivered, though it was tried. */
  readonly failingSince: number | null;
  /** When a target that is away is tried again. */
  readonly restsUntil: number | null;
}

/** @param now ms since the epoch */
export function showWebhook({ webhook, state }: KnownWebhook, now: number): ShownWebhook {
  const { id, url, kinds, tenantId, description, isEnabled, disabledBecause, createdAt, secrets } = webhook;
  const until = secrets[1]?.until ?? null;
  return {
    id,
    url,
    kinds,
    tenantId,
    description,
    isEnabled,
    disabledBecause,
    createdAt,
    oldSecretUntil: until !== null && now < until ? until : null,
    position: state.cursor,
    queued: state.queued,
    deadLetters: state.dead,
    lastDeliveredAt: state.deliveredAt,
    failingSince: state.failingSince,
    restsUntil: isEnabled && isAway(state) ? state.restUntil : null,
  };
}
