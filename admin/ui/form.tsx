import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { messageOf } from './message.ts';

export type Values = Readonly<Record<string, string>>;

interface FormProps {
  /** What the button says. */
  readonly action: string;
  /** Gets the fields by name; what it throws is shown, and the fields stay as they are. */
  readonly onSubmit: (values: Values) => Promise<unknown>;
  readonly onCancel?: () => void;
  readonly isDangerous?: boolean;
  readonly children?: ComponentChildren;
}

/** Fields and the button that sends them, once at a time. */
export function Form({ action, onSubmit, onCancel, isDangerous, children }: FormProps): JSX.Element {
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      await onSubmit(Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)])));
    } catch (fault) {
      setError(messageOf(fault));
    }
    setBusy(false);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit(event.currentTarget);
      }}
    >
      {children}
      <p role="alert" class="form-error">
        {error}
      </p>
      <div class="actions">
        <button class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
          {action}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {TEXTS.cancel}
          </button>
        )}
      </div>
    </form>
  );
}

/** Of inputs, whose types differ by kind. */
type InputProps<Props> = Props extends unknown ? Omit<Props, 'id' | 'label' | 'name'> : never;

type FieldProps = InputProps<JSX.IntrinsicElements['input']> & {
  readonly label: string;
  readonly name: string;
  /** Stands below the field. */
  readonly hint?: ComponentChildren;
};

/** A labelled input. */
export function Field({ label, hint, ...input }: FieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} {...input} {...(hint ? { 'aria-describedby': `${id}-hint` } : {})} />
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange?: (value: string) => void;
}

/** Tells password managers whose password it is. */
export function UserName({ email }: { readonly email: string }): JSX.Element {
  return <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />;
}

/** One of a few. */
export function Choice({ label, name, value, options, onChange }: ChoiceProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} {...(value !== undefined && { value })} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface AreaProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ComponentChildren;
  readonly rows?: number;
  readonly required?: boolean;
  readonly defaultValue?: string;
  readonly placeholder?: string;
}

/** A text of several lines, such as JSON. */
export function Area({ label, hint, ...area }: AreaProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} rows={8} spellcheck={false} {...area} {...(hint ? { 'aria-describedby': `${id}-hint` } : {})} />
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** A box to tick; its value in a form is `on` or absent. */
export function Tick({ label, name, isTicked = false, onChange }: TickProps): JSX.Element {
  return (
    <label class="tick">
      <input type="checkbox" name={name} defaultChecked={isTicked} onChange={(event) => onChange?.(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

interface TickProps {
  readonly label: string;
  readonly name: string;
  readonly isTicked?: boolean;
  readonly onChange?: (isTicked: boolean) => void;
}
