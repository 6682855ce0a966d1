import type { JSX } from 'preact';
import { TEXTS } from '../../texts.ts';
import { Badge } from '../../ui/states.tsx';
import type { Webhook } from './webhook-answer.ts';

const T = TEXTS.webhooks;

/** How a webhook does, in a word or two. */
export function WebhookState({ of }: { readonly of: Webhook }): JSX.Element {
  if (!of.isEnabled) return <Badge tone="bad">{of.disabledBecause === null ? T.disabled : T.disabledByCore}</Badge>;
  if (of.restsUntil !== null) return <Badge tone="warning">{T.rests}</Badge>;
  if (of.failingSince !== null) return <Badge tone="warning">{T.fails}</Badge>;
  return <Badge tone="good">{T.enabled}</Badge>;
}
