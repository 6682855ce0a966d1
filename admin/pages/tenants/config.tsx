import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Place, place, PUBLIC } from '../../app/place.ts';
import { route, setQuery } from '../../app/route.ts';
import { can } from '../../app/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Choice, Field, Tick } from '../../ui/form.tsx';
import { Badge, ErrorNote, Section } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { type Explained, type Option, PRECEDENCE, readOptions } from './levels.ts';
import { SetOption, unset } from './option-form.tsx';
import { reloadConfig } from './reload.tsx';
import { isBase, type Known } from './tenant.ts';

const T = TEXTS.tenants;

/** A value as a person reads it; those of secrets never come here. */
export function shown({ value, isSet }: Option): string {
  if (isSet !== undefined) return isSet ? T.secretSet : T.secretUnset;
  if (value === null) return T.notSet;
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return text === '' ? T.emptyText : text;
}

interface ConfigProps {
  readonly known: Known;
  readonly onChanged: () => void;
}

/** Every option in force at the tenant, where its value comes from, and what that comes before. */
export function Config({ known, onChanged }: ConfigProps): JSX.Element {
  const { tenant } = known;
  const [setting, setSetting] = useState<Explained | undefined>();
  // Anew with the tenant, as a change of it changes these.
  const { data, error, reload } = useAnswer((signal) => readOptions(tenant, signal), [place.value, known]);
  const { query } = route.value;
  const [text, source, isAll] = [query.get('option') ?? '', query.get('source') ?? '', query.get('all') === '1'];
  const rows = (data ?? []).filter((row) => isWanted(row, text, source, isAll || source === 'default'));
  const take = async ({ option }: Explained): Promise<void> => {
    await attempt(() => unset(known, option), T.optionUnset(option.name));
    onChanged();
  };
  const forAdmins: Column<Explained> = {
    head: TEXTS.actions,
    cell: (row) => (
      <Actions row={row} at={tenant} isOwn={tenant.configuredOptions.includes(row.option.name)} onSet={setSetting} onUnset={take} />
    ),
  };
  return (
    <Section title={T.config} actions={can('all') && <Button onPress={reloadConfig}>{T.reload}</Button>}>
      <p class="hint">{T.configHint}</p>
      <Filters text={text} source={source} isAll={isAll} />
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && rows.length === 0 && <div class="empty">{T.noOptions}</div>}
      {rows.length > 0 && (
        <Table
          caption={T.config}
          columns={can('tenants') && !isBase(tenant) ? [...COLUMNS, forAdmins] : COLUMNS}
          rows={rows}
          keyOf={({ option }) => option.name}
        />
      )}
      {setting && (
        <SetOption
          known={known}
          option={setting.option}
          onClose={() => {
            setSetting(undefined);
            onChanged();
          }}
        />
      )}
    </Section>
  );
}

function isWanted({ option, layers }: Explained, text: string, source: string, isAll: boolean): boolean {
  const isFound = `${option.name} ${option.doc}`.toLowerCase().includes(text.trim().toLowerCase());
  if (!isFound || (source !== '' && option.source !== source)) return false;
  return isAll || layers.some((layer) => layer.source !== 'default');
}

interface FiltersProps {
  readonly text: string;
  readonly source: string;
  readonly isAll: boolean;
}

function Filters({ text, source, isAll }: FiltersProps): JSX.Element {
  return (
    <div class="filters">
      <Field
        label={T.findOption}
        name="option"
        type="search"
        autoComplete="off"
        value={text}
        onInput={(event) => setQuery({ option: event.currentTarget.value })}
      />
      <Choice
        label={T.source}
        name="source"
        value={source}
        options={[['', T.anySource], ...PRECEDENCE.map((one) => [one, T.sources[one]] as const)]}
        onChange={(value) => setQuery({ source: value })}
      />
      <Tick label={T.alsoDefaults} name="all" isTicked={isAll} onChange={(is) => setQuery({ all: is ? '1' : undefined })} />
    </div>
  );
}

const COLUMNS: readonly Column<Explained>[] = [
  {
    head: T.option,
    cell: ({ option: { name, doc, needsRestart, level } }) => (
      <>
        <code>{name}</code> {needsRestart && <Badge tone="warning">{T.needsRestart}</Badge>}
        <div class="hint">
          {doc} {T.levels[level]}
        </div>
      </>
    ),
  },
  { head: T.value, cell: ({ option }) => <code>{shown(option)}</code> },
  { head: T.source, cell: (row) => <Origin of={row} /> },
];

/** Where a value comes from, and behind it every level that it comes before with what it would be there. */
function Origin({ of: { option, layers, hidden } }: { readonly of: Explained }): JSX.Element {
  const others = layers.slice(1);
  return (
    <>
      <Badge tone={option.source === 'default' ? 'plain' : 'good'}>{T.sources[option.source]}</Badge>
      {others.length > 0 && (
        <ul class="layers" aria-label={T.comesBefore}>
          {others.map((layer) => (
            <li key={layer.source}>
              {T.comesBefore} {T.sources[layer.source]}: <code>{shown(layer.option)}</code>
            </li>
          ))}
        </ul>
      )}
      {hidden.length > 0 && <div class="hint">{T.wouldHide(hidden.map((source) => T.sources[source]).join(', '))}</div>}
    </>
  );
}

interface ActionsProps {
  readonly row: Explained;
  readonly at: Place;
  /** Whether the tenant itself sets it. */
  readonly isOwn: boolean;
  readonly onSet: (row: Explained) => void;
  readonly onUnset: (row: Explained) => Promise<void>;
}

/** Options of the whole core are set where the process is started, those of an app at its public tenant. */
function Actions({ row, at, isOwn, onSet, onUnset }: ActionsProps): JSX.Element {
  const { name, level } = row.option;
  const isSettable = level === 'T' || (level === 'A' && at.tenantId === PUBLIC);
  return (
    <div class="actions">
      {isSettable && (
        <Button of={name} onPress={() => onSet(row)}>
          {T.set}
        </Button>
      )}
      {isOwn && (
        <Button of={name} onPress={() => onUnset(row)}>
          {T.unset}
        </Button>
      )}
    </div>
  );
}
