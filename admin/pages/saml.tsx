import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { nameOf } from '../app/place-picker.tsx';
import { goTo, linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Badge, PageFrame } from '../ui/states.tsx';
import { PagedTable } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import { usePages } from '../ui/use-pages.ts';
import { CertificateEnd, type SamlClient } from './saml/certificates.tsx';
import { ClientForm } from './saml/client-form.tsx';
import { Service } from './saml/service.tsx';

const T = TEXTS.saml;

const COLUMNS = [
  { head: T.client, cell: ({ clientId }: SamlClient) => <a href={linkTo('saml', clientId)}>{clientId}</a> },
  { head: T.idp, cell: ({ idpEntityId }: SamlClient) => idpEntityId },
  { head: T.certificateEnds, cell: ({ certificates }: SamlClient) => <CertificateEnd of={certificates} /> },
  { head: T.options, cell: (client: SamlClient) => <Options of={client} /> },
  { head: T.changed, cell: ({ updatedAt }: SamlClient) => <Time ms={updatedAt} /> },
];

function Options({ of: { allowIDPInitiatedLogin, enableRequestSigning } }: { readonly of: SamlClient }): JSX.Element {
  return (
    <>
      {enableRequestSigning && <Badge>{T.signed}</Badge>}
      {allowIDPInitiatedLogin && <Badge>{T.begunThere}</Badge>}
    </>
  );
}

/** The identity providers of a tenant, and what each of them has to know of us. */
export default function SamlClients(): JSX.Element {
  const [isConnecting, setConnecting] = useState(false);
  const pages = usePages(
    async (paginationToken, signal) => {
      const query = paginationToken === undefined ? {} : { paginationToken };
      const answer = await ok(core().GET('/manage/v1/saml/clients', { params: { query }, signal }));
      return { rows: answer.clients, next: answer.nextPaginationToken };
    },
    [place.value],
  );
  const mayChange = can('tenants');
  return (
    <PageFrame
      title={T.title}
      lead={T.lead(nameOf(place.value))}
      actions={
        mayChange && (
          <Button kind="primary" keys="n" onPress={() => setConnecting(true)}>
            {T.connect}
          </Button>
        )
      }
    >
      <PagedTable
        caption={T.title}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ clientId }) => clientId}
        empty={mayChange ? T.none : T.noneForYou}
      />
      <Service />
      {isConnecting && (
        <Dialog title={T.connect} isWide onClose={() => setConnecting(false)}>
          <ClientForm
            onCancel={() => setConnecting(false)}
            onDone={({ clientId }) => {
              setConnecting(false);
              say(T.connected(clientId));
              goTo('saml', clientId);
            }}
          />
        </Dialog>
      )}
    </PageFrame>
  );
}
