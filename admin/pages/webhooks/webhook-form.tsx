import type { JSX } from 'preact';
import { KINDS } from '../../../src/recipes/audit/kinds.ts';
import { core, ok } from '../../app/api.ts';
import { TEXTS } from '../../texts.ts';
import { Field, Form, Tick, type Values } from '../../ui/form.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { Webhook } from './webhook-answer.ts';

const T = TEXTS.webhooks;
const ALL = '*';

/**
 * The description of the interface names no kinds, so that they come from the table of the trail: by what stands before
 * their dot, which `user.*` and the like name together.
 */
const FAMILIES = [...new Set(Object.keys(KINDS).map((kind) => kind.slice(0, kind.indexOf('.'))))].map((family) => ({
  family,
  kinds: Object.entries(KINDS).filter(([kind]) => kind.startsWith(`${family}.`)),
}));
const PATTERNS = [ALL, ...FAMILIES.flatMap(({ family, kinds }) => [`${family}.*`, ...kinds.map(([kind]) => kind)])];

const chosenKinds = (values: Values): string[] => PATTERNS.filter((pattern) => values[pattern] === 'on');

interface WebhookFormProps {
  /** Of one that is changed; none for a new one. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
  readonly onDone: (webhook: Webhook, secret: string | undefined) => void;
}

/** Makes a webhook or changes one. */
export function WebhookForm({ webhook, onClose, onDone }: WebhookFormProps): JSX.Element {
  const submit = async (values: Values): Promise<void> => {
    const { url = '', description = '', tenantId = '' } = values;
    const facts = { url, description, kinds: chosenKinds(values) };
    if (webhook) {
      const answer = await ok(core().POST('/manage/v1/webhooks/update', { body: { id: webhook.id, ...facts } }));
      onDone(answer.webhook, undefined);
      return;
    }
    const body = { ...facts, ...(tenantId !== '' && { tenantId }) };
    const answer = await ok(core().POST('/manage/v1/webhooks', { body }));
    onDone(answer.webhook, answer.secret);
  };
  return (
    <Dialog title={webhook ? T.edit : T.add} isWide onClose={onClose}>
      <Form action={webhook ? TEXTS.save : T.add} onSubmit={submit} onCancel={onClose}>
        <Field label={T.url} name="url" hint={T.urlHint} required autoComplete="off" defaultValue={webhook?.url ?? ''} />
        <Field label={T.description} name="description" maxLength={256} autoComplete="off" defaultValue={webhook?.description ?? ''} />
        {!webhook && <Field label={TEXTS.tenantId} name="tenantId" hint={T.tenantHint} autoComplete="off" />}
        <Kinds chosen={webhook?.kinds ?? []} />
      </Form>
    </Dialog>
  );
}

function Kinds({ chosen }: { readonly chosen: readonly string[] }): JSX.Element {
  return (
    <fieldset class="choices">
      <legend>{T.kinds}</legend>
      <Tick name={ALL} label={T.allKinds} isTicked={chosen.includes(ALL)} />
      {FAMILIES.map(({ family, kinds }) => (
        <details key={family} open={chosen.some((kind) => kind.startsWith(`${family}.`))}>
          <summary>{T.family(family, kinds.length)}</summary>
          <Tick name={`${family}.*`} label={T.wholeFamily(family)} isTicked={chosen.includes(`${family}.*`)} />
          {kinds.map(([kind, { doc }]) => (
            <Tick key={kind} name={kind} label={`${kind}: ${doc}`} isTicked={chosen.includes(kind)} />
          ))}
        </details>
      ))}
    </fieldset>
  );
}
