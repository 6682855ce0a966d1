import type { ComponentChildren, JSX } from 'preact';
import type { components } from '../../generated/api.ts';
import { TEXTS } from '../../texts.ts';
import { Badge, Facts, type Tone } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';

type Explained = components['schemas']['ManagementSamlExplanation'];
type Check = Explained['checks'][number];
type Attribute = NonNullable<NonNullable<Explained['response']>['assertion']>['attributes'][number];

const T = TEXTS.saml;
const TONES: Readonly<Record<Check['outcome'], Tone>> = { held: 'good', failed: 'bad', skipped: 'plain' };

const ATTRIBUTE_COLUMNS = [
  { head: T.attribute, cell: ({ name }: Attribute) => name },
  { head: T.values, cell: ({ values }: Attribute) => values.join(', ') },
];

/** What arrived, each check, and what to change. */
export function Explanation({ of }: { readonly of: Explained }): JSX.Element {
  const { summary, checks, warnings, response, xml, user } = of;
  const attributes = response?.assertion?.attributes ?? [];
  return (
    <>
      <p>
        <strong>{summary}</strong>
      </p>
      {warnings.map((warning) => (
        <div key={warning} class="note warning">
          {warning}
        </div>
      ))}
      {user && (
        <Facts
          of={[
            [T.userId, user.sub ?? TEXTS.none],
            [TEXTS.email, user.email ?? TEXTS.none],
          ]}
        />
      )}
      <ol class="checks" aria-label={T.checks}>
        {checks.map((check) => (
          <CheckItem key={check.check} check={check} />
        ))}
      </ol>
      {response && attributes.length > 0 && (
        <>
          <h3>{response.isProven ? T.attributes : T.attributesUnproven}</h3>
          <Table caption={T.attributes} columns={ATTRIBUTE_COLUMNS} rows={attributes} keyOf={({ name }) => name} />
        </>
      )}
      {xml !== undefined && (
        <details class="whole">
          <summary>{T.showXml}</summary>
          <pre tabIndex={0}>{xml}</pre>
        </details>
      )}
    </>
  );
}

function CheckItem({ check }: { readonly check: Check }): JSX.Element {
  const { title, outcome, expected, found, fault, change } = check;
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    [T.expected, expected],
    [T.found, found],
    [T.fault, fault],
    [T.change, change],
  ];
  return (
    <li class={outcome}>
      <Badge tone={TONES[outcome]}>{T.outcomes[outcome]}</Badge> {title}
      {outcome === 'failed' && <Facts of={rows} />}
      {outcome === 'held' && found !== undefined && (
        <div class="hint">
          {T.found}: {found}
        </div>
      )}
    </li>
  );
}
