import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TEXTS } from '../../texts.ts';
import { Area, Choice, Field, Form, type Values } from '../../ui/form.tsx';
import type { Provider } from './tenant.ts';

const T = TEXTS.tenants;

type Client = Provider['clients'][number];
/** A configuration as it is sent. */
type Config = { readonly thirdPartyId: string; readonly [name: string]: unknown };

interface ProviderFormProps {
  /** None for a new one. */
  readonly provider: Provider | undefined;
  readonly onSave: (config: Config) => Promise<void>;
  readonly onCancel: () => void;
}

/** What the additional configuration of a known provider holds besides the id and secret of the client. */
const ADDITIONAL: Readonly<Record<string, readonly { readonly name: string; readonly isSecret?: boolean }[]>> = {
  google: [],
  github: [],
  facebook: [],
  apple: [{ name: 'keyId' }, { name: 'teamId' }, { name: 'privateKey', isSecret: true }],
  'active-directory': [{ name: 'directoryId' }],
  'google-workspaces': [{ name: 'hd' }],
  okta: [{ name: 'oktaDomain' }],
  'boxy-saml': [{ name: 'boxyURL' }],
  discord: [],
  gitlab: [],
  linkedin: [],
  twitter: [],
};
const OWN = 'own';

/** A form for what most have; JSON for all there is, which several clients need. */
export function ProviderForm({ provider, onSave, onCancel }: ProviderFormProps): JSX.Element {
  const needsJson = (provider?.clients.length ?? 1) > 1;
  const [mode, setMode] = useState(needsJson ? 'json' : 'form');
  const submit = (values: Values): Promise<void> =>
    onSave(mode === 'json' ? configIn(values['json'] ?? '', provider) : filledIn(provider, values));
  return (
    <Form action={TEXTS.save} onSubmit={submit} onCancel={onCancel}>
      {!needsJson && (
        <Choice
          label={T.editAs}
          name="mode"
          value={mode}
          options={[
            ['form', T.asForm],
            ['json', T.asJson],
          ]}
          onChange={setMode}
        />
      )}
      {mode === 'json' ? (
        <Area
          label={T.json}
          name="json"
          rows={18}
          required
          hint={T.jsonHint}
          defaultValue={JSON.stringify(provider ?? { thirdPartyId: '', clients: [{ clientId: '' }] }, null, 2)}
        />
      ) : (
        <Fields provider={provider} />
      )}
    </Form>
  );
}

function Fields({ provider }: { readonly provider: Provider | undefined }): JSX.Element {
  const [known, setKnown] = useState('google');
  const id = provider?.thirdPartyId ?? known;
  const client = provider?.clients[0];
  return (
    <>
      {!provider && (
        <Choice
          label={T.provider}
          name="known"
          value={known}
          options={[...Object.keys(ADDITIONAL).map((name) => [name, name] as const), [OWN, T.ownProvider] as const]}
          onChange={setKnown}
        />
      )}
      {id === OWN && <Field label={T.providerId} name="thirdPartyId" required autoComplete="off" />}
      <Field label={T.providerName} name="name" defaultValue={provider?.name ?? ''} autoComplete="off" />
      <Field label={T.clientId} name="clientId" required defaultValue={client?.clientId ?? ''} autoComplete="off" />
      <Field
        label={T.clientSecret}
        name="clientSecret"
        type="password"
        autoComplete="new-password"
        hint={client?.clientSecret === undefined ? undefined : T.secretStays}
      />
      {(ADDITIONAL[id] ?? []).map(({ name, isSecret }) => (
        <AdditionalField key={name} name={name} isSecret={isSecret} client={client} />
      ))}
      <Field label={T.scopes} name="scope" defaultValue={client?.scope?.join(' ') ?? ''} autoComplete="off" hint={T.scopesHint} />
      <Field
        label={T.discovery}
        name="oidcDiscoveryEndpoint"
        type="url"
        defaultValue={provider?.oidcDiscoveryEndpoint ?? ''}
        autoComplete="off"
        hint={T.discoveryHint}
      />
    </>
  );
}

interface AdditionalProps {
  readonly name: string;
  readonly isSecret: boolean | undefined;
  readonly client: Client | undefined;
}

/** What is secret is not shown again: left empty, it stays. */
function AdditionalField({ name, isSecret, client }: AdditionalProps): JSX.Element {
  const value = client?.additionalConfig?.[name];
  if (isSecret) return <Area label={name} name={`+${name}`} rows={4} hint={value === undefined ? undefined : T.secretStays} />;
  return <Field label={name} name={`+${name}`} defaultValue={typeof value === 'string' ? value : ''} autoComplete="off" />;
}

/** What the form says, within what it does not show. */
function filledIn(provider: Provider | undefined, values: Values): Config {
  const text = (name: string): string => values[name]?.trim() ?? '';
  const id = provider?.thirdPartyId ?? (text('known') === OWN ? text('thirdPartyId') : text('known'));
  const before = provider?.clients[0];
  const { name: _name, oidcDiscoveryEndpoint: _endpoint, ...rest } = provider ?? {};
  const { scope: _scope, additionalConfig, ...client } = before ?? {};
  const scope = text('scope').split(/\s+/).filter(Boolean);
  const additional = { ...additionalConfig, ...additionalIn(id, values) };
  return {
    ...rest,
    thirdPartyId: id,
    ...given('name', text('name')),
    ...given('oidcDiscoveryEndpoint', text('oidcDiscoveryEndpoint')),
    clients: [
      {
        ...client,
        clientId: text('clientId'),
        ...given('clientSecret', text('clientSecret')),
        ...(scope.length > 0 && { scope }),
        ...(Object.keys(additional).length > 0 && { additionalConfig: additional }),
      },
    ],
  };
}

const given = (name: string, value: string): Readonly<Record<string, string>> => (value === '' ? {} : { [name]: value });

/** A field that was emptied is taken out (null); a secret that was not typed stays. */
function additionalIn(id: string, values: Values): Readonly<Record<string, string | null>> {
  const fields = (ADDITIONAL[id] ?? []).map(({ name, isSecret }) => ({ name, isSecret, value: values[`+${name}`]?.trim() ?? '' }));
  const kept = fields.filter(({ value, isSecret }) => value !== '' || !isSecret);
  return Object.fromEntries(kept.map(({ name, value }) => [name, value || null]));
}

/** @throws Error where it is no configuration, or of another provider */
function configIn(json: string, provider: Provider | undefined): Config {
  const config: unknown = JSON.parse(json);
  if (!isConfig(config)) throw new Error(T.jsonWrong);
  if (provider && config.thirdPartyId !== provider.thirdPartyId) throw new Error(T.otherProvider(provider.thirdPartyId));
  return config;
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && 'thirdPartyId' in value && typeof value.thirdPartyId === 'string';
