import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { goTo } from '../../app/route.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { confirmed } from '../../ui/confirm.tsx';
import { Choice, Field } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { messageOf } from '../../ui/message.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import type { Webhook } from './webhook-answer.ts';
import { WebhookForm } from './webhook-form.tsx';

const T = TEXTS.webhooks;
const HOUR_MS = 3_600_000;
/** How long the old secret signs beside the new one, in hours. */
const OVERLAPS = ['24', '1', '168', '0'] as const;

interface ActionProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

type Open = 'edit' | 'rotate' | 'replay' | undefined;

/** What may be done with a webhook. */
export function WebhookActions({ webhook, onChanged }: ActionProps): JSX.Element {
  const [open, setOpen] = useState<Open>();
  const { id, isEnabled } = webhook;
  const test = () => sendTest(id).then(onChanged);
  const toggle = () => setEnabled(id, !isEnabled, onChanged);
  const close = (isDone = true): void => {
    setOpen(undefined);
    if (isDone) onChanged();
  };
  return (
    <>
      <Button onPress={test}>{T.test}</Button>
      <Button onPress={() => setOpen('edit')}>{T.edit}</Button>
      <Button onPress={toggle}>{isEnabled ? T.disable : T.enable}</Button>
      <Button onPress={() => setOpen('rotate')}>{T.rotateSecret}</Button>
      <Button onPress={() => setOpen('replay')}>{T.replay}</Button>
      <Button kind="danger" onPress={() => remove(webhook)}>
        {T.remove}
      </Button>
      {open === 'edit' && (
        <WebhookForm
          webhook={webhook}
          onClose={() => close(false)}
          onDone={() => {
            say(T.saved);
            close();
          }}
        />
      )}
      {open === 'rotate' && <RotateSecret id={id} onClose={close} />}
      {open === 'replay' && <ReplaySince id={id} onClose={close} />}
    </>
  );
}

async function sendTest(id: string): Promise<void> {
  try {
    const { isDelivered, answered, fault } = await ok(core().POST('/manage/v1/webhooks/test', { body: { id } }));
    if (isDelivered) say(T.testDelivered(answered ?? 0));
    else say(T.testFailed(fault ?? T.answered(answered ?? 0)), { tone: 'bad' });
  } catch (error) {
    say(messageOf(error), { tone: 'bad' });
  }
}

async function setEnabled(id: string, isEnabled: boolean, onChanged: () => void): Promise<void> {
  const call = () => ok(core().POST('/manage/v1/webhooks/update', { body: { id, isEnabled } }));
  await attempt(call, isEnabled ? T.enabledNow : T.disabledNow, () => void setEnabled(id, !isEnabled, onChanged));
  onChanged();
}

async function remove({ id, url }: Webhook): Promise<void> {
  if (!(await confirmed({ title: T.remove, text: T.removeText(url), action: T.remove, word: id }))) return;
  const call = () => ok(core().POST('/manage/v1/webhooks/remove', { body: { id } }));
  if (await attempt(call, T.removed)) goTo('webhooks');
}

interface DialogProps {
  readonly id: string;
  readonly onClose: (isDone: boolean) => void;
}

function RotateSecret({ id, onClose }: DialogProps): JSX.Element {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined)
    return <ShownOnce title={T.secret} text={T.secretText} secret={secret} label={T.secret} onClose={() => onClose(true)} />;
  return (
    <FormDialog
      title={T.rotateSecret}
      action={T.rotateSecret}
      onClose={(isDone) => !isDone && onClose(false)}
      onSubmit={async ({ overlap = '24' }) => {
        const body = { id, overlapMs: Number(overlap) * HOUR_MS };
        setSecret((await ok(core().POST('/manage/v1/webhooks/rotate-secret', { body }))).secret);
      }}
    >
      <p>{T.rotateText}</p>
      <Choice label={T.overlap} name="overlap" options={OVERLAPS.map((hours) => [hours, T.overlaps[hours]])} />
    </FormDialog>
  );
}

function ReplaySince({ id, onClose }: DialogProps): JSX.Element {
  return (
    <FormDialog
      title={T.replay}
      action={T.replay}
      done={T.queuedAgain}
      onClose={onClose}
      onSubmit={({ since = '' }) => ok(core().POST('/manage/v1/webhooks/replay', { body: { id, since: new Date(since).getTime() } }))}
    >
      <p>{T.replayText}</p>
      <Field label={T.since} name="since" type="datetime-local" required hint={T.sinceHint} />
    </FormDialog>
  );
}
