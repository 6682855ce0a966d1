import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

interface ButtonProps {
  readonly onPress: () => unknown;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly isDisabled?: boolean;
  /** A key that presses it, where nothing is typed into. */
  readonly keys?: string;
  /** Says more than what is seen, where several look alike; read out behind it. */
  readonly of?: string;
  readonly children: ComponentChildren;
}

/** Does something; pressed again while that lasts, it does nothing. */
export function Button({ onPress, kind = 'plain', isDisabled = false, keys, of, children }: ButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      await onPress();
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" class={kind} disabled={isDisabled} aria-busy={isBusy} aria-keyshortcuts={keys} onClick={() => void press()}>
      {children}
      {of !== undefined && <span class="unseen"> {of}</span>}
    </button>
  );
}
