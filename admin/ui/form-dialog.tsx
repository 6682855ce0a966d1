import type { ComponentChildren, JSX } from 'preact';
import { Dialog } from './dialog.tsx';
import { Form, type Values } from './form.tsx';
import { say } from './toasts.tsx';

interface FormDialogProps {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  /** What it throws is shown, and the dialog stays. */
  readonly onSubmit: (values: Values) => Promise<unknown>;
  /** Said when it went well. */
  readonly done?: string;
  /** Called at the end. @param isDone false where it was left */
  readonly onClose: (isDone: boolean) => void;
  readonly isDangerous?: boolean;
  readonly children: ComponentChildren;
}

/** A form in a dialog that closes when what it sent went well. */
export function FormDialog({ title, action, onSubmit, done, onClose, isDangerous = false, children }: FormDialogProps): JSX.Element {
  const submit = async (values: Values): Promise<void> => {
    await onSubmit(values);
    if (done !== undefined) say(done);
    onClose(true);
  };
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <Form action={action} isDangerous={isDangerous} onCancel={() => onClose(false)} onSubmit={submit}>
        {children}
      </Form>
    </Dialog>
  );
}
