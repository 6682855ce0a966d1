import { isJsonObject, type JsonObject, type JsonTree } from '../../json/free-form.ts';
import { clientsOf, type ProviderConfig } from './provider-config.ts';

const PREFIX = 'Invalid third party config: ';

const isText = (value: JsonTree | undefined): boolean => typeof value === 'string' && value !== '';

/** What certain providers ask of `additionalConfig`, by how their ids begin. */
const SPECIAL: readonly { readonly prefix: string; readonly isFine: (additional: JsonObject) => boolean; readonly text: string }[] = [
  {
    prefix: 'apple',
    isFine: (additional) => ['keyId', 'teamId', 'privateKey'].every((name) => isText(additional[name])),
    text: 'a non empty string value must be specified for keyId, teamId and privateKey in the additionalConfig for Apple provider',
  },
  {
    prefix: 'google-workspaces',
    isFine: (additional) => !('hd' in additional) || isText(additional['hd']),
    text: 'hd in additionalConfig must be a non empty string value',
  },
  {
    prefix: 'boxy-saml',
    isFine: (additional) => !('boxyURL' in additional) || isText(additional['boxyURL']),
    text: 'a non empty string value must be specified for boxyURL in the additionalConfig for Boxy SAML provider',
  },
];

/** What makes a configuration unfit to be kept at all: clients that could not be told apart or named. */
export function keepingComplaint(config: ProviderConfig): string | undefined {
  const clients = clientsOf(config);
  const types = new Set(clients.map((client) => client['clientType'] ?? ''));
  if (types.size < clients.length) return `${PREFIX}Duplicate clientType was specified in the clients list.`;
  return clients.some((client) => client['clientId'] === undefined) ? `${PREFIX}clientId cannot be null` : undefined;
}

/** The first fault among the providers of a tenant (contract 04 section 5.11). */
export function providersComplaint(providers: readonly ProviderConfig[]): string | undefined {
  for (const provider of providers) {
    const complaint = providerComplaint(provider);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

function providerComplaint(provider: ProviderConfig): string | undefined {
  if (provider.thirdPartyId === '') return `${PREFIX}thirdPartyId cannot be null or empty`;
  const clients = clientsOf(provider);
  const keeping = keepingComplaint(provider);
  if (keeping !== undefined) return keeping;
  for (const client of clients) {
    const { scope } = client;
    if (Array.isArray(scope) && scope.includes(null)) return `${PREFIX}scope array cannot contain a null`;
  }
  const special = SPECIAL.find(({ prefix }) => provider.thirdPartyId.startsWith(prefix));
  if (!special) return undefined;
  const isFine = clients.every(({ additionalConfig }) => special.isFine(isJsonObject(additionalConfig) ? additionalConfig : {}));
  return isFine ? undefined : `${PREFIX}${special.text}`;
}
