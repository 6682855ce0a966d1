import { refusedTarget } from '../../outbound/target.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { checkedKinds } from './kinds.ts';
import { MOST_DESCRIPTION_CHARS } from './limits.ts';
import type { Webhook } from './records.ts';

/** What operators may say of a webhook, at first and later. */
export interface GivenFacts {
  readonly url?: string | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

/** What was given of it, checked; what was not is left out. @throws Refusal */
export function checkedFacts({ tenant }: Context, { url, kinds, description }: GivenFacts): Partial<Pick<Webhook, keyof GivenFacts>> {
  const refused = url === undefined ? undefined : refusedTarget(url, tenant.config.webhook_allow_private);
  if (refused !== undefined) throw new Refusal('bad-input', { text: refused });
  if (description !== undefined && description.length > MOST_DESCRIPTION_CHARS)
    throw new Refusal('bad-input', { text: `description must have at most ${MOST_DESCRIPTION_CHARS} characters` });
  return {
    ...(url !== undefined && { url }),
    ...(kinds && { kinds: checkedKinds(kinds) }),
    ...(description !== undefined && { description }),
  };
}
