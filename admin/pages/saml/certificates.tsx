import type { JSX } from 'preact';
import type { components } from '../../generated/api.ts';
import { TEXTS } from '../../texts.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { coreNow } from '../../ui/core-clock.ts';
import { Badge } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

export type SamlClient = components['schemas']['ManagementSamlClient'];

type Certificate = Pick<SamlClient['certificates'][number], 'subject' | 'validFrom' | 'validTo' | 'sha256'>;

const T = TEXTS.saml;
const DAY_MS = 86_400_000;
const SOON_MS = 30 * DAY_MS;

const COLUMNS = [
  { head: T.subject, cell: ({ subject }: Certificate) => subject },
  { head: T.validFrom, cell: ({ validFrom }: Certificate) => <Time ms={validFrom} /> },
  {
    head: T.validTo,
    cell: ({ validTo }: Certificate) => (
      <>
        <Time ms={validTo} /> <EndBadge ms={validTo} />
      </>
    ),
  },
  { head: T.sha256, cell: ({ sha256 }: Certificate) => <Copyable text={sha256} label={T.sha256} /> },
];

/** What people compare certificates by. */
export function Certificates({ caption, of }: { readonly caption: string; readonly of: readonly Certificate[] }): JSX.Element {
  return <Table caption={caption} columns={COLUMNS} rows={of} keyOf={({ sha256 }) => sha256} />;
}

/** When the last of them ends: until then some signature of the provider is sure to be by a known one. */
export function CertificateEnd({ of }: { readonly of: readonly Certificate[] }): JSX.Element {
  const last = Math.max(...of.map(({ validTo }) => validTo));
  return (
    <>
      <Time ms={last} /> <EndBadge ms={last} />
    </>
  );
}

function EndBadge({ ms }: { readonly ms: number }): JSX.Element | null {
  const left = ms - coreNow();
  if (left > SOON_MS) return null;
  return left < 0 ? <Badge tone="bad">{T.ended}</Badge> : <Badge tone="warning">{T.endsSoon}</Badge>;
}
