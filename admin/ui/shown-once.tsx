import type { JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { Copyable } from './copyable.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  /** What it is for. */
  readonly text: string;
  readonly secret: string;
  /** Names the secret to those who hear the page. */
  readonly label: string;
  readonly onClose: () => void;
}

/** A secret that nobody can look up again: it stays until somebody says that it is kept elsewhere. */
export function ShownOnce({ title, text, secret, label, onClose }: ShownOnceProps): JSX.Element {
  return (
    <Dialog title={title}>
      <p>{text}</p>
      <Copyable text={secret} label={label} />
      <p class="note warning">{TEXTS.shownOnce}</p>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {TEXTS.isKept}
        </button>
      </div>
    </Dialog>
  );
}
