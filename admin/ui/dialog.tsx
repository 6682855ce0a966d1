import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

interface DialogProps {
  readonly title: string;
  /** Undefined where it cannot be left. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
}

/** A modal dialog: the browser keeps the focus within, and gives it back when it closes. */
export function Dialog({ title, onClose, children, isWide }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the next key is pressed, which is for the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {onClose && (
        // The last one, so that the focus begins at the first field.
        <button type="button" class="quiet corner" aria-label={TEXTS.close} onClick={onClose}>
          ×
        </button>
      )}
    </dialog>
  );
}
