import type { JSX } from 'preact';
import { core, ok } from '../../app/api.ts';
import { place } from '../../app/place.ts';
import { route, setQuery } from '../../app/route.ts';
import { TEXTS } from '../../texts.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Field, Form } from '../../ui/form.tsx';
import { ErrorNote, Facts, Section } from '../../ui/states.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { Certificates } from './certificates.tsx';

const T = TEXTS.saml;
const LINE = /.{1,64}/g;

/** A certificate as most administrators take it. @param certificate base64 DER */
const pemOf = (certificate: string): string =>
  ['-----BEGIN CERTIFICATE-----', ...(certificate.match(LINE) ?? []), '-----END CERTIFICATE-----', ''].join('\n');

/** Where a file is that was made here. */
const fileUrl = (text: string, type: string): string => `data:${type};charset=utf-8,${encodeURIComponent(text)}`;

/** The ACS URL that the address of the page names. */
export const acsUrlNamed = (): string => route.value.query.get('acs') ?? '';

/** What the administrator of an identity provider has to know of us. */
export function Service({ clientId }: { readonly clientId?: string }): JSX.Element {
  const acsURL = acsUrlNamed();
  const { data, error, reload } = useAnswer(
    (signal) => {
      const query = { ...(clientId !== undefined && { clientId }), ...(acsURL !== '' && { acsURL }) };
      return ok(core().GET('/manage/v1/saml/metadata', { params: { query }, signal }));
    },
    [place.value, clientId, acsURL],
  );
  return (
    <Section title={T.service}>
      <p class="hint">{T.serviceHint}</p>
      <AcsForm key={acsURL} acsURL={acsURL} />
      {error !== undefined && <ErrorNote text={error} retry={reload} />}
      {data && (
        <>
          <Facts
            of={[
              [T.entityId, <Copyable key="entity" text={data.entityId} label={T.entityId} />],
              [T.acsUrl, data.acsURL === null ? T.noAcsUrl : <Copyable key="acs" text={data.acsURL} label={T.acsUrl} />],
            ]}
          />
          <div class="actions">
            <a class="button" download="metadata.xml" href={fileUrl(data.metadataXML, 'application/samlmetadata+xml')}>
              {T.downloadMetadata}
            </a>
            {data.certificates.map(({ certificate, use, sha256 }) => (
              <a
                key={sha256}
                class="button"
                download={`${use}-${sha256.slice(0, 8)}.pem`}
                href={fileUrl(pemOf(certificate), 'application/x-pem-file')}
              >
                {T.downloadCertificate(T.uses[use])}
              </a>
            ))}
          </div>
          <details>
            <summary>{T.showMetadata}</summary>
            <Copyable text={data.metadataXML} label={T.metadata} />
          </details>
          <Certificates caption={T.ourCertificates} of={data.certificates} />
        </>
      )}
    </Section>
  );
}

function AcsForm({ acsURL }: { readonly acsURL: string }): JSX.Element {
  return (
    <Form action={T.useAcsUrl} onSubmit={async (values) => setQuery({ acs: values['acs']?.trim() })}>
      <Field label={T.acsUrl} name="acs" type="url" defaultValue={acsURL} hint={T.acsUrlHint} autoComplete="off" />
    </Form>
  );
}
