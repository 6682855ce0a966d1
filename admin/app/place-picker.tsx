import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';
import { ErrorNote } from '../ui/states.tsx';
import { usePages } from '../ui/use-pages.ts';
import { core, ok } from './api.ts';
import { type Place, place, PUBLIC, placeQuery } from './place.ts';
import { linkTo, route } from './route.ts';

/** What is looked for while the picker is open. */
const search = signal<string | undefined>(undefined);

/** Opens the picker. @param text to begin with */
export function pickPlace(text = ''): void {
  search.value = text;
}

const close = (): void => {
  search.value = undefined;
};

/** As it is named on the button: the parts that are not the core's own. */
export function nameOf({ connectionUriDomain, appId, tenantId }: Place): string {
  const parts = [connectionUriDomain, appId === PUBLIC ? '' : appId, tenantId === PUBLIC ? '' : tenantId].filter(Boolean);
  return parts.length === 0 ? PUBLIC : parts.join(' / ');
}

/** Opens the page that one is on for another place; an item of the old place is left. */
export function moveTo(to: Place): void {
  const none = { domain: undefined, app: undefined, tenant: undefined };
  location.hash = linkTo(route.value.page, undefined, { ...none, ...placeQuery(to) });
}

/** Asks for another app or tenant: found by typing (the combobox pattern of WAI-ARIA), or typed whole. */
export function PlacePicker(): JSX.Element | null {
  if (search.value === undefined) return null;
  return (
    <Dialog title={TEXTS.choosePlace} onClose={close}>
      <Finder text={search.value} />
      <details>
        <summary>{TEXTS.typePlace}</summary>
        <TypedPlace />
      </details>
    </Dialog>
  );
}

const moveThere = (to: Place): void => {
  close();
  moveTo(to);
};

function Finder({ text }: { readonly text: string }): JSX.Element {
  const [chosen, setChosen] = useState(0);
  useEffect(() => setChosen(0), [text]);
  const {
    rows = [],
    error,
    isLoading,
    more,
    reload,
  } = usePages(
    async (paginationToken, signal) => {
      const wanted = text.trim();
      const query = { limit: 100, ...(wanted !== '' && { search: wanted }), ...(paginationToken !== undefined && { paginationToken }) };
      const answer = await ok(core().GET('/manage/v1/tenants', { params: { query }, signal }));
      return { rows: answer.tenants, next: answer.nextPaginationToken };
    },
    [text],
  );
  const at = Math.min(chosen, rows.length - 1);
  useEffect(() => document.querySelector(`#place-${at}`)?.scrollIntoView({ block: 'nearest' }), [at]);
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
  const onKey = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    const row = rows[at];
    if (event.key === 'Enter') {
      // What is listed while the next rows are on their way is not what was typed.
      if (row && !isLoading) moveThere(row);
    } else if (step !== undefined && rows.length > 0) setChosen((at + step + rows.length) % rows.length);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        class="palette-input"
        role="combobox"
        aria-label={TEXTS.findPlace}
        aria-expanded
        aria-controls="place-list"
        aria-activedescendant={`place-${at}`}
        aria-busy={isLoading}
        autoComplete="off"
        placeholder={TEXTS.findPlace}
        value={text}
        onInput={(event) => (search.value = event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      <ul id="place-list" class="palette-list" role="listbox" aria-label={TEXTS.choosePlace}>
        {rows.map((row, n) => (
          <li key={nameOf(row)} id={`place-${n}`} role="option" aria-selected={n === at} onClick={() => moveThere(row)}>
            <span>{nameOf(row)}</span>
          </li>
        ))}
      </ul>
      {rows.length === 0 && !isLoading && !more && <p class="hint">{TEXTS.noPlace}</p>}
      {more && (
        <button type="button" onClick={more} disabled={isLoading}>
          {TEXTS.more}
        </button>
      )}
    </>
  );
}

/** For what is not listed, and for who knows the names. */
function TypedPlace(): JSX.Element {
  const { connectionUriDomain, appId, tenantId } = place.value;
  return (
    <Form
      action={TEXTS.go}
      onCancel={close}
      onSubmit={async (values) => {
        moveThere({
          connectionUriDomain: values['domain']?.trim().toLowerCase() ?? '',
          appId: values['app']?.trim().toLowerCase() || PUBLIC,
          tenantId: values['tenant']?.trim().toLowerCase() || PUBLIC,
        });
      }}
    >
      <Field label={TEXTS.appId} name="app" defaultValue={appId} autoComplete="off" />
      <Field label={TEXTS.tenantId} name="tenant" defaultValue={tenantId} autoComplete="off" />
      <Field
        label={TEXTS.connectionUriDomain}
        name="domain"
        defaultValue={connectionUriDomain}
        autoComplete="off"
        hint={TEXTS.domainHint}
      />
    </Form>
  );
}
