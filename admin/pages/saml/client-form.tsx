import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { answered, core, ok, Refused, wordsFor } from '../../app/api.ts';
import { TEXTS } from '../../texts.ts';
import { Area, Field, Form, Tick, type Values } from '../../ui/form.tsx';
import { say } from '../../ui/toasts.tsx';
import { messageOf } from '../../ui/message.ts';
import { toBase64 } from './base64.ts';
import type { SamlClient } from './certificates.tsx';

interface ClientFormProps {
  /** Of a client that is changed; none for a new one. */
  readonly client?: SamlClient;
  readonly onCancel: () => void;
  readonly onDone: (client: { readonly clientId: string }) => void;
}

const T = TEXTS.saml;

/** Connects an identity provider by its metadata, or changes a connection. */
export function ClientForm({ client, onCancel, onDone }: ClientFormProps): JSX.Element {
  const submit = async (values: Values): Promise<void> => {
    try {
      onDone(await (client ? change(client, values) : connect(values)));
    } catch (error) {
      // The core names a field, and the default may be one of the others.
      throw /'(?:redirectURIs|defaultRedirectURI)'/.test(messageOf(error)) ? new Error(T.redirectUrisWrong) : error;
    }
  };
  return (
    <Form action={client ? T.save : T.connect} onSubmit={submit} onCancel={onCancel}>
      {!client && <Field label={T.clientId} name="clientId" hint={T.clientIdHint} maxLength={256} autoComplete="off" />}
      <Metadata isRequired={!client} />
      <Area
        label={T.redirectUris}
        name="redirectURIs"
        rows={3}
        required
        hint={T.redirectUrisHint}
        defaultValue={client?.redirectURIs.join('\n') ?? ''}
      />
      <Field
        label={T.defaultRedirectUri}
        name="defaultRedirectURI"
        hint={T.defaultRedirectUriHint}
        defaultValue={client?.defaultRedirectURI ?? ''}
        autoComplete="off"
      />
      <Tick label={T.signsRequests} name="enableRequestSigning" isTicked={client?.enableRequestSigning ?? true} />
      <Tick label={T.idpMayBegin} name="allowIDPInitiatedLogin" isTicked={client?.allowIDPInitiatedLogin ?? false} />
    </Form>
  );
}

/** A text to paste, which a file fills. */
function Metadata({ isRequired }: { readonly isRequired: boolean }): JSX.Element {
  const around = useRef<HTMLDivElement>(null);
  const fill = async (file: File | undefined): Promise<void> => {
    const area = around.current?.querySelector('textarea');
    if (!file || !area) return;
    try {
      area.value = await file.text();
    } catch (error) {
      say(messageOf(error), { tone: 'bad' });
    }
  };
  return (
    <div ref={around} class="form">
      <Field
        label={T.metadataFile}
        name="metadataFile"
        type="file"
        accept=".xml,text/xml,application/xml,application/samlmetadata+xml"
        onChange={(event) => void fill(event.currentTarget.files?.[0])}
      />
      <Area label={T.metadata} name="metadata" rows={6} required={isRequired} hint={isRequired ? T.metadataHint : T.metadataStays} />
    </div>
  );
}

/** The fields that both kinds of a form have. */
function readFields(values: Values) {
  const redirectURIs = (values['redirectURIs'] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const [first = ''] = redirectURIs;
  return {
    redirectURIs,
    defaultRedirectURI: values['defaultRedirectURI']?.trim() || first,
    enableRequestSigning: values['enableRequestSigning'] === 'on',
    allowIDPInitiatedLogin: values['allowIDPInitiatedLogin'] === 'on',
  };
}

/** The endpoint of the interface replaces clients, so an id that is taken is looked for before. */
async function connect(values: Values): Promise<{ readonly clientId: string }> {
  const clientId = values['clientId']?.trim() ?? '';
  if (clientId !== '') {
    const { clients } = await ok(core().GET('/manage/v1/saml/clients', { params: { query: { clientId } } }));
    if (clients.length > 0) throw new Refused(200, '', T.idTaken(clientId));
  }
  const body = { ...readFields(values), metadataXML: toBase64(values['metadata'] ?? ''), ...(clientId !== '' && { clientId }) };
  return ok(core().PUT('/recipe/saml/clients', { body }));
}

async function change({ clientId, updatedAt }: SamlClient, values: Values): Promise<{ readonly clientId: string }> {
  const metadata = values['metadata']?.trim() ?? '';
  const body = { clientId, updatedAt, ...readFields(values), ...(metadata !== '' && { metadataXML: toBase64(metadata) }) };
  const answer = await answered(core().POST('/manage/v1/saml/clients/update', { body }));
  if (answer.status !== 'OK') throw new Refused(200, answer.status, wordsFor(answer));
  return answer.client;
}
