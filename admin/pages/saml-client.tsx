import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { core, ok } from '../app/api.ts';
import { place } from '../app/place.ts';
import { goTo, linkTo } from '../app/route.ts';
import { can } from '../app/session.ts';
import { TEXTS } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { confirmed } from '../ui/confirm.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote, Facts, PageFrame, Section } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { attempt, say } from '../ui/toasts.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Certificates, type SamlClient } from './saml/certificates.tsx';
import { ClientForm } from './saml/client-form.tsx';
import { Service } from './saml/service.tsx';
import { TestLogin } from './saml/test-login.tsx';
import { TryResponse } from './saml/try-response.tsx';

const T = TEXTS.saml;

/** One identity provider: what the core knows of it, what it has to know of us, and whether a login goes well. */
export default function SamlClientPage({ item: clientId }: { readonly item: string }): JSX.Element {
  const { data, error, reload } = useAnswer(
    (signal) => ok(core().GET('/manage/v1/saml/clients', { params: { query: { clientId } }, signal })),
    [place.value, clientId],
  );
  const client = data?.clients[0];
  const mayChange = can('tenants');
  return (
    <PageFrame
      title={clientId}
      lead={<a href={linkTo('saml')}>{T.title}</a>}
      actions={client && mayChange && <Actions client={client} onChanged={reload} />}
    >
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && !client && <div class="empty">{T.noSuchClient}</div>}
      {client && (
        <>
          <Known client={client} />
          <Service clientId={clientId} />
          {mayChange && <TestLogin key={clientId} clientId={clientId} />}
          {mayChange && <TryResponse clientId={clientId} />}
        </>
      )}
    </PageFrame>
  );
}

function Known({ client }: { readonly client: SamlClient }): JSX.Element {
  const yesOrNo = (is: boolean): string => (is ? T.yes : T.no);
  return (
    <Section title={T.known}>
      <Facts
        of={[
          [T.idp, <Copyable key="idp" text={client.idpEntityId} label={T.idp} />],
          [T.ssoUrl, client.ssoURL],
          [T.redirectUris, client.redirectURIs.map((uri) => <div key={uri}>{uri}</div>)],
          [T.defaultRedirectUri, client.defaultRedirectURI],
          [T.signsRequests, yesOrNo(client.enableRequestSigning)],
          [T.idpMayBegin, yesOrNo(client.allowIDPInitiatedLogin)],
          [T.hasSecret, yesOrNo(client.hasClientSecret)],
          [T.connectedAt, <Time key="connected" ms={client.createdAt} />],
          [T.changed, <Time key="changed" ms={client.updatedAt} />],
        ]}
      />
      <Certificates caption={T.idpCertificates} of={client.certificates} />
    </Section>
  );
}

function Actions({ client, onChanged }: { readonly client: SamlClient; readonly onChanged: () => void }): JSX.Element {
  const [isEditing, setEditing] = useState(false);
  const { clientId } = client;
  const remove = async (): Promise<void> => {
    if (!(await confirmed({ title: T.remove, text: T.removeWarning(client.idpEntityId), action: T.remove, word: clientId }))) return;
    const call = () => ok(core().POST('/recipe/saml/clients/remove', { body: { clientId } }));
    if (await attempt(call, T.removed(clientId))) goTo('saml');
  };
  return (
    <>
      <Button onPress={() => setEditing(true)}>{T.edit}</Button>
      <Button kind="danger" onPress={remove}>
        {T.remove}
      </Button>
      {isEditing && (
        <Dialog title={T.edit} isWide onClose={() => setEditing(false)}>
          <ClientForm
            client={client}
            onCancel={() => setEditing(false)}
            onDone={() => {
              setEditing(false);
              say(T.saved);
              onChanged();
            }}
          />
        </Dialog>
      )}
    </>
  );
}
