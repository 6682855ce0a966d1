import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { Field, Form } from './form.tsx';

interface Question {
  readonly title: string;
  /** What will happen, and whether it can be taken back. */
  readonly text: string;
  /** What the button says: the deed, not "OK". */
  readonly action: string;
  /** Must be typed first, where nothing brings back what is lost. */
  readonly word?: string;
}

const asked = signal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(undefined);

/** Asks before something that cannot be taken back. */
export function confirmed(question: Question): Promise<boolean> {
  return new Promise((done) => {
    asked.value = {
      ...question,
      answer: (yes) => {
        asked.value = undefined;
        done(yes);
      },
    };
  });
}

/** Stands once in the page. */
export function Confirmation(): JSX.Element | null {
  const question = asked.value;
  if (!question) return null;
  const { title, text, action, word, answer } = question;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <Form
        action={action}
        isDangerous
        onCancel={() => answer(false)}
        onSubmit={async (values) => {
          if (word !== undefined && values['word'] !== word) throw new Error(TEXTS.wordDiffers(word));
          answer(true);
        }}
      >
        <p>{text}</p>
        {word !== undefined && <Field label={TEXTS.typeWord(word)} name="word" autoComplete="off" />}
      </Form>
    </Dialog>
  );
}
