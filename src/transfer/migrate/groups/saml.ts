import type { Config } from '../../../config/config.ts';
import { sha256Hex } from '../../../crypto/digests.ts';
import { type JsonTree, parseJson, parseJsonObject } from '../../../json/free-form.ts';
import { samlClaims, samlClients } from '../../../recipes/saml/records.ts';
import { isRedirectUri } from '../../../recipes/saml/redirect-uris.ts';
import type { Row } from '../../../store/foreign-database.ts';
import { flagIn, numberIn, textIn, wordIn } from '../layout.ts';
import type { TableGroup, Unit } from '../table-group.ts';

const CLIENTS = 'saml_clients';

/** SAML clients, and logins whose code is not redeemed yet. */
export const SAML: TableGroup = {
  name: 'SAML',
  parts: [
    {
      table: CLIENTS,
      unit: ['app_id', 'tenant_id', 'client_id'],
      columns: [
        'app_id',
        'tenant_id',
        'client_id',
        'client_secret',
        'sso_login_url',
        'redirect_uris',
        'default_redirect_uri',
        'idp_entity_id',
        'idp_signing_certificate',
        'allow_idp_initiated_login',
        'enable_request_signing',
        'created_at',
        'updated_at',
      ],
    },
    {
      table: 'saml_claims',
      unit: ['app_id', 'tenant_id', 'client_id'],
      columns: ['app_id', 'tenant_id', 'client_id', 'code', 'claims', 'expires_at'],
    },
    { table: 'saml_relay_state', unit: ['app_id', 'tenant_id', 'client_id'], columns: ['app_id', 'tenant_id', 'client_id', 'expires_at'] },
  ],
  collections: [samlClients, samlClaims],
  convert: (unit) => {
    const [, any] = unit.all()[0] ?? [];
    const place = any && unit.places.tenant(wordIn(any, 'app_id'), wordIn(any, 'tenant_id'));
    if (!place) return unit.leaveAll('unreachable');
    // Our answers name the request that they answer, of which the old core keeps nothing.
    for (const row of unit.rows('saml_relay_state')) unit.leave(row, isOver(unit, row) ? 'expired' : 'SAML login under way');
    for (const row of unit.rows(CLIENTS)) {
      const uris = redirectUrisIn(row);
      if (!uris) {
        unit.lose(CLIENTS, row, { reason: 'its redirect_uris are no JSON list of texts', remedy: 'write the client anew in the old core' });
        continue;
      }
      const refused = refusedUris(row, place.config);
      if (refused.length > 0) unit.note(CLIENTS, row, `redirect URIs that are refused when it is written anew: ${refused.join(' ')}`);
      unit.make(samlClients, {
        app: place.app,
        tenant: place.tenant,
        clientId: wordIn(row, 'client_id'),
        clientSecret: textIn(row, 'client_secret') ?? null,
        ssoLoginUrl: wordIn(row, 'sso_login_url'),
        redirectUris: uris,
        defaultRedirectUri: wordIn(row, 'default_redirect_uri'),
        idpEntityId: wordIn(row, 'idp_entity_id'),
        certificates: [wordIn(row, 'idp_signing_certificate')],
        allowIdpInitiatedLogin: flagIn(row, 'allow_idp_initiated_login'),
        enableRequestSigning: flagIn(row, 'enable_request_signing'),
        createdAt: numberIn(row, 'created_at') ?? 0,
        updatedAt: numberIn(row, 'updated_at') ?? 0,
      });
    }
    for (const row of unit.rows('saml_claims')) {
      if (isOver(unit, row)) {
        unit.leave(row, 'expired');
        continue;
      }
      const given = parseJsonObject(wordIn(row, 'claims')) ?? {};
      const claims = Object.entries(given).map(([name, values]) => [name, textsIn(values)] as const);
      const expiresAt = numberIn(row, 'expires_at') ?? 0;
      const at = { app: place.app, tenant: place.tenant, codeHash: sha256Hex(wordIn(row, 'code')) };
      unit.make(samlClaims, { ...at, clientId: wordIn(row, 'client_id'), claims, expiresAt });
    }
  },
};

const isOver = (unit: Unit, row: Row): boolean => (numberIn(row, 'expires_at') ?? 0) < unit.places.now;

const textsIn = (tree: JsonTree | undefined): readonly string[] =>
  Array.isArray(tree) ? tree.filter((item): item is string => typeof item === 'string') : [];

/** Where logins of a client may end; undefined for what is no list of texts. */
function redirectUrisIn(row: Row): readonly string[] | undefined {
  const list = parsed(wordIn(row, 'redirect_uris'));
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
}

/** Redirect URIs of a client that nobody could give it here, and that are moved all the same. */
export function refusedUris(row: Row, config: Config): readonly string[] {
  const uris = new Set([...(redirectUrisIn(row) ?? []), wordIn(row, 'default_redirect_uri')]);
  return [...uris].filter((uri) => !isRedirectUri(uri, config.saml_allow_custom_redirect_schemes));
}

function parsed(text: string): JsonTree | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
