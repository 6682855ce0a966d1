import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

const SHOWN_MS = 2_000;

/** A text to take along: an id, a secret that is shown once. */
export function Copyable({ text, label }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <span class="copyable">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={() => void copy()}>
        {isCopied ? TEXTS.copied : TEXTS.copy}
        <span class="unseen"> {label ?? text}</span>
      </button>
    </span>
  );
}
