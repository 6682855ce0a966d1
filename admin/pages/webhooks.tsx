import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { goTo, linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/numbers.ts';
import { ShownOnce } from '../ui/shown-once.tsx';
import { Badge, ErrorNote, PageFrame } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { WebhookState } from './webhooks/state.tsx';
import type { Webhook } from './webhooks/webhook-answer.ts';
import { WebhookForm } from './webhooks/webhook-form.tsx';

const T = TEXTS.webhooks;

const COLUMNS = [
  { head: T.url, cell: ({ id, url }: Webhook) => <a href={linkTo('webhooks', id)}>{url}</a> },
  { head: T.kinds, cell: ({ kinds }: Webhook) => kinds.map((kind) => <Badge key={kind}>{kind}</Badge>) },
  { head: T.state, cell: (webhook: Webhook) => <WebhookState of={webhook} /> },
  { head: T.queued, cell: ({ queued }: Webhook) => count(queued), isNumber: true },
  { head: T.deadLetters, cell: ({ deadLetters }: Webhook) => count(deadLetters), isNumber: true },
  { head: T.lastDelivered, cell: ({ lastDeliveredAt }: Webhook) => <Time ms={lastDeliveredAt} /> },
];

/** Where events of the app are sent, and how that goes. */
export default function Webhooks(): JSX.Element {
  const { data, error, reload } = useAnswer((signal) => ok(core().GET('/manage/v1/webhooks', { signal })), [place.value]);
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string }>();
  const mayChange = can('keys');
  return (
    <PageFrame
      title={T.title}
      lead={T.lead(nameOf({ ...place.value, tenantId: 'public' }))}
      actions={
        mayChange && (
          <Button kind="primary" keys="n" onPress={() => setAdding(true)}>
            {T.add}
          </Button>
        )
      }
    >
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data?.webhooks.length === 0 && <div class="empty">{mayChange ? T.none : T.noneForYou}</div>}
      {data && data.webhooks.length > 0 && <Table caption={T.title} columns={COLUMNS} rows={data.webhooks} keyOf={({ id }) => id} />}
      {isAdding && (
        <WebhookForm
          onClose={() => setAdding(false)}
          onDone={({ id }, secret = '') => {
            setAdding(false);
            setMade({ id, secret });
          }}
        />
      )}
      {made && (
        <ShownOnce title={T.secret} text={T.secretText} secret={made.secret} label={T.secret} onClose={() => goTo('webhooks', made.id)} />
      )}
    </PageFrame>
  );
}
