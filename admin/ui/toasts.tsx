import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { TEXTS } from '../texts.ts';
import { messageOf } from './message.ts';
import type { Tone } from './states.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
  /** Takes back what was done. */
  readonly undo?: () => void;
}

const STAYS_MS = 8_000;
const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Says for a while what happened. @param undo offered beside it */
export function say(text: string, options: { readonly tone?: Tone; readonly undo?: () => void } = {}): void {
  const toast = { id: (last += 1), tone: 'good' as const, ...options, text };
  toasts.value = [...toasts.value, toast];
  // What went wrong stays until somebody closes it.
  if (toast.tone !== 'bad') setTimeout(() => close(toast.id), STAYS_MS);
}

/** Does something and says what came of it. Answers whether it went well. @param done may depend on what came of it */
export async function attempt<T>(
  work: () => Promise<T>,
  done: string | ((result: Awaited<T>) => string),
  undo?: () => void,
): Promise<boolean> {
  let result: Awaited<T>;
  try {
    result = await work();
  } catch (error) {
    say(messageOf(error), { tone: 'bad' });
    return false;
  }
  say(typeof done === 'string' ? done : done(result), undo && { undo });
  return true;
}

const close = (id: number): void => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, undo }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                close(id);
                undo();
              }}
            >
              {TEXTS.undo}
            </button>
          )}
          <button type="button" class="quiet" aria-label={TEXTS.close} onClick={() => close(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
