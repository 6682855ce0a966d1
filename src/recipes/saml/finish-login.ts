import { isDeepStrictEqual } from 'node:util';
import { sha256Hex } from '../../crypto/digests.ts';
import type { SamlAnswer, SamlExpectation, SamlIdentity } from '../../crypto/saml/saml.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { retryWhileStale, type Stale } from '../retry-while-stale.ts';
import { findClient, findClientOfIdp } from './clients.ts';
import { expectationOf } from './expectation.ts';
import { finishTest } from './finish-test.ts';
import { FAILED, type FinishLoginResult, type IdpAnswer, type LoginFailure, MALFORMED_TEXT } from './login-outcome.ts';
import {
  type SamlClientRecord,
  type SamlRelayStateRecord,
  type SamlTestRecord,
  samlClaims,
  samlClients,
  samlRelayStates,
  samlTests,
  samlUsedAssertions,
} from './records.ts';
import { withCode } from './redirect-uris.ts';
import { decryptionKeys } from './sp-credentials.ts';
import { isWaiting } from './test-state.ts';

/** The connection that a response is checked against, and the login that it answers. */
interface Pending {
  readonly client: SamlClientRecord;
  /** Undefined where the identity provider began. */
  readonly login: SamlRelayStateRecord | undefined;
  /** What was encrypted for the tenant can be read with. */
  readonly decryptionKeys: readonly string[];
}

/** As relay states of ours look. */
const RELAY_STATE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `POST /recipe/saml/callback` (contract 06 section 2.5) */
export function finishLogin(context: Context, command: Commands['saml/finish-login']): Promise<FinishLoginResult> {
  const { tenant } = context;
  return completeLogin(context, tenant, { ...command, acsUrl: tenant.config.saml_sp_acs_url ?? undefined });
}

/**
 * Checks a provider's answer, and keeps what it proves for whoever brings the code back. Every attempt is strict:
 * nobody is let in by a client that was changed. @throws Refusal for what is no SAML response
 */
export function completeLogin(context: Context, tenant: Tenant, answer: IdpAnswer): Promise<FinishLoginResult> {
  return retryWhileStale(async (): Promise<FinishLoginResult | Stale> => {
    const pending = await pendingOf(context, tenant, answer);
    if ('status' in pending) return pending;
    if ('test' in pending) return finishTest(context, tenant, answer, pending.test);
    const { client, login } = pending;
    const requestIds = login ? [login.requestId, answer.relayState ?? ''] : [];
    const answered = { client, requestIds, acsUrl: login?.acsUrl ?? answer.acsUrl, decryptionKeys: pending.decryptionKeys };
    const checked = await check(context, tenant, answer, expectationOf(context, tenant, answered));
    if (checked.status !== 'OK') return FAILED;
    const result = await keepIdentity(context, tenant, answer, pending, checked);
    return result === 'replayed' ? refuse(context, tenant, 'the Assertion was used before') : result;
  });
}

function refuse({ debug }: Context, { appId: app, tenantId: tenant }: Tenant, reason: string): LoginFailure {
  debug({ reason, app, tenant }, 'a SAML response was refused');
  return FAILED;
}

/** What a response answers: a login, or the test of an operator, which no login comes of. */
type Asked = Pending | { readonly test: SamlTestRecord };

function pendingOf(context: Context, tenant: Tenant, answer: IdpAnswer): Promise<Asked | LoginFailure> {
  const { relayState = '' } = answer;
  if (relayState === '') return clientOfIssuer(context, tenant, answer);
  return RELAY_STATE.test(relayState) ? loginOf(context, tenant, answer) : clientOfForeignState(context, tenant, answer);
}

/** Where the application began: the login by its relay state, and its client. Malformed responses are told first. */
async function loginOf(context: Context, tenant: Tenant, answer: IdpAnswer): Promise<Asked | LoginFailure> {
  const { store, now } = context;
  const found = await store.read(async (reader): Promise<Asked | LoginFailure> => {
    const [login, keys] = await Promise.all([
      reader.get(samlRelayStates, relayStateKey(tenant, answer)),
      decryptionKeys(context, reader, tenant),
    ]);
    const test = login ? undefined : await reader.get(samlTests, relayStateKey(tenant, answer));
    if (test && isWaiting(test, now())) return { test };
    if (!login || login.expiresAt < now()) return { status: 'INVALID_RELAY_STATE_ERROR' };
    const client = await findClient(reader, tenant, login.clientId);
    return client ? { client, login, decryptionKeys: keys } : { status: 'INVALID_CLIENT_ERROR' };
  });
  if ('status' in found) await check(context, tenant, answer);
  return found;
}

/**
 * Where the relay state has not the form of ours: a provider that begins may send what an administrator entered, which
 * then means nothing (contract 00, SAML). A response that names a request, and so answers a login, is refused.
 */
async function clientOfForeignState(context: Context, tenant: Tenant, answer: IdpAnswer): Promise<Pending | LoginFailure> {
  const read = await check(context, tenant, answer);
  const found = read.status === 'READABLE' && read.inResponseTo === undefined ? await clientOf(context, tenant, read.issuer) : undefined;
  return found && 'client' in found ? found : { status: 'INVALID_RELAY_STATE_ERROR' };
}

/** Where the provider began: the client by the issuer that the response claims, which only chooses the certificates. */
async function clientOfIssuer(context: Context, tenant: Tenant, answer: IdpAnswer): Promise<Pending | LoginFailure> {
  const read = await check(context, tenant, answer);
  return read.status === 'READABLE' ? clientOf(context, tenant, read.issuer) : FAILED;
}

async function clientOf(context: Context, tenant: Tenant, issuer: string | undefined): Promise<Pending | LoginFailure> {
  if (issuer === undefined) return { status: 'INVALID_CLIENT_ERROR' };
  const [client, keys] = await context.store.read((reader) =>
    Promise.all([findClientOfIdp(reader, tenant, issuer), decryptionKeys(context, reader, tenant)]),
  );
  if (!client) return { status: 'INVALID_CLIENT_ERROR' };
  return client.allowIdpInitiatedLogin ? { client, login: undefined, decryptionKeys: keys } : { status: 'IDP_LOGIN_DISALLOWED_ERROR' };
}

async function check(context: Context, tenant: Tenant, { samlResponse }: IdpAnswer, expected?: SamlExpectation): Promise<SamlAnswer> {
  const answer = await context.crypto.checkSamlResponse(expected ? { samlResponse, expected } : { samlResponse });
  if (answer.status === 'MALFORMED') throw new Refusal('bad-input', { text: MALFORMED_TEXT });
  if (answer.status === 'REFUSED') refuse(context, tenant, answer.reason);
  return answer;
}

/** Of the empty relay state there is no record. */
const relayStateKey = ({ app, tenant }: Tenant, { relayState = '' }: IdpAnswer) => [app, tenant, sha256Hex(relayState)] as const;

/**
 * Uses up the login and the assertion and keeps the claims, in one transaction: of two answers to one login, or of an
 * assertion sent twice, one wins (contract 06 section 6.7). Stale where the client has changed since the check.
 */
function keepIdentity(
  { store, now, randomId }: Context,
  tenant: Tenant,
  answer: IdpAnswer,
  { client, login }: Pending,
  identity: SamlIdentity,
): Promise<FinishLoginResult | 'replayed' | Stale> {
  const code = randomId();
  const place = { app: tenant.app, tenant: tenant.tenant };
  const used = {
    ...place,
    idpEntityId: client.idpEntityId,
    assertionHash: sha256Hex(identity.assertionId),
    expiresAt: identity.keepUntil,
  };
  return store.transact(async (tx): Promise<FinishLoginResult | 'replayed' | Stale> => {
    const [currentLogin, currentClient, earlierUse] = await tx.getMany([
      { collection: samlRelayStates, key: relayStateKey(tenant, answer) },
      { collection: samlClients, key: samlClients.key(client) },
      { collection: samlUsedAssertions, key: samlUsedAssertions.key(used) },
    ]);
    const time = now();
    if (login && !currentLogin) return { status: 'INVALID_RELAY_STATE_ERROR' };
    if (!currentClient) return { status: 'INVALID_CLIENT_ERROR' };
    if (!isDeepStrictEqual(currentClient, client)) return 'stale';
    if (earlierUse && earlierUse.expiresAt >= time) return 'replayed';
    if (login) await tx.delete(samlRelayStates, samlRelayStates.key(login));
    await tx.put(samlUsedAssertions, used);
    await tx.insert(samlClaims, {
      ...place,
      codeHash: sha256Hex(code),
      clientId: client.clientId,
      claims: Object.entries(identity.claims),
      expiresAt: time + tenant.config.saml_claims_validity,
    });
    return { status: 'OK', redirectURI: withCode(login?.redirectUri ?? client.defaultRedirectUri, code, login?.state ?? null) };
  });
}
