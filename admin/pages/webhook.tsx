import type { JSX } from 'preact';
import { core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Copyable } from '../ui/copyable.tsx';
import { count } from '../ui/numbers.ts';
import { Badge, ErrorNote, Facts, PageFrame, Section } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useAnswer, useLive } from '../ui/use-answer.ts';
import { WebhookActions } from './webhooks/actions.tsx';
import { DeadLetters, Deliveries } from './webhooks/messages.tsx';
import { WebhookState } from './webhooks/state.tsx';
import type { Webhook } from './webhooks/webhook-answer.ts';

const T = TEXTS.webhooks;
const EVERY_MS = 5_000;

/** One webhook: what it is sent, how that goes, and what was given up. */
export default function WebhookPage({ item: id }: { readonly item: string }): JSX.Element {
  const { data, error, reload } = useAnswer((signal) => ok(core().GET('/manage/v1/webhooks', { signal })), [place.value]);
  useLive(reload, EVERY_MS);
  const webhook = data?.webhooks.find((one) => one.id === id);
  const mayChange = can('keys');
  return (
    <PageFrame
      title={webhook?.url ?? T.webhook}
      lead={<a href={linkTo('webhooks')}>{T.title}</a>}
      actions={webhook && mayChange && <WebhookActions webhook={webhook} onChanged={reload} />}
    >
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && !webhook && <div class="empty">{T.unknown}</div>}
      {webhook && (
        <>
          {webhook.disabledBecause !== null && <div class="note warning">{webhook.disabledBecause}</div>}
          <Known webhook={webhook} />
          <Deliveries id={id} />
          <DeadLetters id={id} total={webhook.deadLetters} mayReplay={mayChange} onReplayed={reload} />
        </>
      )}
    </PageFrame>
  );
}

function Known({ webhook }: { readonly webhook: Webhook }): JSX.Element {
  const time = (ms: number | null): JSX.Element | undefined => (ms === null ? undefined : <Time ms={ms} />);
  return (
    <Section title={T.known}>
      <Facts
        of={[
          [T.state, <WebhookState key="state" of={webhook} />],
          [T.id, <Copyable key="id" text={webhook.id} label={T.id} />],
          [T.description, webhook.description || undefined],
          [T.kinds, webhook.kinds.map((kind) => <Badge key={kind}>{kind}</Badge>)],
          [TEXTS.tenantId, webhook.tenantId ?? T.everyTenant],
          [T.created, time(webhook.createdAt)],
          [T.position, count(webhook.position)],
          [T.queued, count(webhook.queued)],
          [T.deadLetters, count(webhook.deadLetters)],
          [T.lastDelivered, <Time key="delivered" ms={webhook.lastDeliveredAt} />],
          [T.failingSince, time(webhook.failingSince)],
          [T.restsUntil, time(webhook.restsUntil)],
          [T.oldSecretUntil, time(webhook.oldSecretUntil)],
        ]}
      />
    </Section>
  );
}
