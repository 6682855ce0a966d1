import { sha256Hex } from '../../crypto/digests.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { requireAcsUrl } from './acs-url.ts';
import { askIdp } from './ask-idp.ts';
import { findClient } from './clients.ts';
import { type SamlClientRecord, type SamlTestRecord, samlTests } from './records.ts';
import { withParameters } from './redirect-uris.ts';

/** What is tried. */
export interface TestRequest {
  readonly clientId: string;
  /** Left out, the one that the tenant names. */
  readonly acsURL?: string | undefined;
}

export type StartedTest =
  | {
      readonly status: 'OK';
      readonly testId: string;
      /** To be opened in a browser. */
      readonly url: string;
      /** How long an answer is waited for, ms since the epoch. */
      readonly waitsUntil: number;
    }
  | { readonly status: 'UNKNOWN_CLIENT_ERROR' };

const MINUTE_MS = 60_000;
const WAIT_MS = 10 * MINUTE_MS;
/** What arrived names a person, so it is not kept for long. */
const KEEP_MS = 30 * MINUTE_MS;
/** Of one tenant; a further one takes the place of the oldest. Each may hold a large response twice. */
const MOST_TESTS = 10;

/**
 * Begins a login that lets nobody in: the core keeps what the identity provider answers, and explains it. It stands in
 * a collection of its own, so that nothing which finishes logins, of whatever version, can take it for one.
 * @throws Refusal
 */
export async function startTest(context: Context, wanted: TestRequest): Promise<StartedTest> {
  const { store, tenant, now } = context;
  const acsUrl = acsUrlOf(tenant, wanted);
  const client = await store.read((reader) => findClient(reader, tenant, wanted.clientId));
  if (!client) return { status: 'UNKNOWN_CLIENT_ERROR' };
  const { requestId, relayState, ssoRedirectURI } = await askIdp(context, tenant, client, acsUrl);
  const testId = sha256Hex(relayState);
  const startedAt = now();
  const test: SamlTestRecord = {
    app: tenant.app,
    tenant: tenant.tenant,
    testId,
    clientId: client.clientId,
    requestId,
    acsUrl,
    returnUri: returnUriOf(context, client, testId),
    startedAt,
    waitsUntil: startedAt + WAIT_MS,
    endedAt: null,
    isAccepted: false,
    explanation: null,
    expiresAt: startedAt + WAIT_MS + KEEP_MS,
  };
  await store.transact(async (tx) => {
    await makeRoom(tx, tenant);
    await tx.insert(samlTests, test);
    await recordEvent(tx, context, 'saml-client.tested', { details: { client: client.clientId } });
  });
  return { status: 'OK', testId, url: ssoRedirectURI, waitsUntil: test.waitsUntil };
}

async function makeRoom(tx: Transaction, { app, tenant }: Tenant): Promise<void> {
  const keys = await tx.keys(samlTests, 'byStart', { prefix: [app, tenant], limit: 2 * MOST_TESTS });
  for (const key of keys.slice(0, Math.max(0, keys.length + 1 - MOST_TESTS))) await tx.delete(samlTests, key);
}

/** @throws Refusal where there is none */
function acsUrlOf({ config }: Tenant, { acsURL }: TestRequest): string {
  const acsUrl = acsURL ?? config.saml_sp_acs_url;
  if (acsUrl !== null) return requireAcsUrl(acsUrl);
  throw new Refusal('bad-input', { text: "acsURL is missing, and the tenant has none: set its option 'saml_sp_acs_url'" });
}

/**
 * Where the browser goes in the end: to the page of the operator who asks, whose origin the front has checked; else to
 * the application, as an error, which no SDK takes for a login. Nobody can name another place.
 */
function returnUriOf({ browser, tenant }: Context, client: SamlClientRecord, testId: string): string {
  if (!browser)
    return withParameters(client.defaultRedirectUri, { error: 'saml_test', error_description: 'A test of the SAML connection ended.' });
  const { config, cud: domain, appId: app, tenantId } = tenant;
  const query = new URLSearchParams({ domain, app, tenant: tenantId, test: testId });
  return `${browser.origin}${config.base_path}/admin/#/saml/${encodeURIComponent(client.clientId)}?${query.toString()}`;
}
