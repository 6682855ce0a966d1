import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../../app/api.ts';
import { place, PUBLIC } from '../../app/place.ts';
import { TEXTS } from '../../texts.ts';
import { Choice, Field, Tick, type Values } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';

const T = TEXTS.keys;
const DAY_MS = 86_400_000;
/** In days; none where it is empty. */
const VALIDITIES = ['30', '90', '365', ''] as const;
const SCOPES = ['cdi', 'read', 'users', 'tenants', 'keys', 'all'] as const;
/** Other apps than the base app have no other keys. */
const APP_SCOPES = ['cdi'] as const;

interface NewApiKeyProps {
  /** Whether the app asks for no key yet. */
  readonly isFirst: boolean;
  readonly onClose: (isDone: boolean) => void;
}

/** Makes a key and shows it, this once. */
export function NewApiKey({ isFirst, onClose }: NewApiKeyProps): JSX.Element {
  const [made, setMade] = useState<{ readonly name: string; readonly key: string }>();
  const scopes = isBase() ? SCOPES : APP_SCOPES;
  if (made) {
    return <ShownOnce title={T.keyMade} text={T.keyMadeText(made.name)} secret={made.key} label={T.apiKey} onClose={() => onClose(true)} />;
  }
  return (
    <FormDialog
      title={T.makeKey}
      action={T.makeKey}
      // When it is made, the dialog that shows it takes this one's place.
      onClose={(isDone) => !isDone && onClose(false)}
      onSubmit={async (values) => setMade(await make(values, scopes))}
    >
      {isFirst && <p class="note warning">{T.firstKeyWarning}</p>}
      <Field label={T.name} name="name" hint={T.nameHint} required maxLength={64} autoComplete="off" />
      <fieldset class="choices">
        <legend>{T.scopes}</legend>
        {scopes.map((scope) => (
          <Tick key={scope} name={scope} label={`${scope}: ${T.scopeHints[scope]}`} isTicked={scope === 'cdi'} />
        ))}
      </fieldset>
      <Choice label={T.validity} name="validity" options={VALIDITIES.map((days) => [days, days === '' ? T.forever : T.days(days)])} />
    </FormDialog>
  );
}

function isBase(): boolean {
  const { connectionUriDomain, appId } = place.value;
  return connectionUriDomain === '' && appId === PUBLIC;
}

function make(values: Values, scopes: readonly string[]): Promise<{ readonly name: string; readonly key: string }> {
  const { name = '', validity = '' } = values;
  const chosen = scopes.filter((scope) => values[scope] === 'on');
  const body = { name, scopes: chosen, ...(validity !== '' && { validityMs: Number(validity) * DAY_MS }) };
  return ok(core().POST('/manage/v1/api-keys', { body }));
}
