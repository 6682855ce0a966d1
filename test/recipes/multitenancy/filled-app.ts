import { totpCode } from '../../totp-code.ts';
import { claimPiece } from '../../../src/recipes/bulk-import/claims.ts';
import { queueEntries } from '../../../src/recipes/bulk-import/records.ts';
import { operatorSessions, operators } from '../../../src/recipes/operators/records.ts';
import { tenantTotpAttempts } from '../../../src/recipes/totp/records.ts';
import { apiKeyUses } from '../../../src/recipes/tenants/records.ts';
import { metadataSearch, metadataSearchProgress } from '../../../src/recipes/user-metadata/records.ts';
import { deadMessages, type Message, queuedMessages, webhooks, webhookStates } from '../../../src/recipes/webhooks/records.ts';
import type { InProcessCore } from '../../in-process-core.ts';
import { SoftwareAuthenticator } from '../../software-authenticator.ts';
import { ACS, answerTo, readLogin } from '../saml/calls.ts';
import { base64Of, makeIdp, metadataOf } from '../../saml-idp/idp.ts';

/** Where an app is and which tenants it has besides `public`. */
export interface AppPlace {
  readonly appId: string;
  readonly tenants: readonly string[];
  /** Of the `Host` header; the default connection URI domain otherwise. */
  readonly host?: string;
}

type Body = { readonly [name: string]: unknown };
/** Calls an endpoint of the app; a tenant is named by the beginning of the path. @throws where the answer is not HTTP 200 */
export type AppCall = (method: string, path: string, body?: object, rid?: string) => Promise<Body>;

const PASSWORD = 'a good password 1';
const DEVICE = { deviceName: 'phone', skew: 1, period: 100_000 };
const SESSION = { userDataInJWT: { a: 1 }, userDataInDatabase: { b: 2 }, enableAntiCsrf: false, useDynamicSigningKey: true };

export function callOf(core: InProcessCore, { appId, host }: AppPlace): AppCall {
  return async (method, path, body, rid) => {
    const options = { ...(host !== undefined && { host }), ...(rid !== undefined && { rid }) };
    const answer = await core.call(method, `/appid-${appId}${path}`, body, options);
    if (answer.status !== 200) throw new Error(`${method} ${path} of ${appId}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

/** Makes the tenants of an app that exists and uses every recipe in each of them, so that no collection is left without records of theirs. */
export async function fillApp(core: InProcessCore, place: AppPlace): Promise<void> {
  const call = callOf(core, place);
  const tenants = ['public', ...place.tenants];
  for (const tenantId of place.tenants) {
    await call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId, coreConfig: { password_reset_token_lifetime: 4_000_000 } });
  }
  await fillAppItself(call);
  for (const tenant of tenants) await fillTenant(core, call, tenant);
  await fillTenantAttempts(core, place, tenants);
  await fillKeyUse(core, place);
  await shareUsers(call, tenants);
  await fillQueue(core, call);
  await fillBackground(core, place);
  await fillOperation(core, place);
}

/** What threads write in the background, and a job that is half done. */
async function fillBackground({ services }: InProcessCore, { appId, host }: AppPlace): Promise<void> {
  const found = await services.directory.find({ cud: host ?? '', appId, tenantId: 'public' });
  if (!found) throw new Error(`there is no app ${appId}`);
  const { app } = found;
  await services.statistics.flush(services.store);
  await services.store.transact(async (tx) => {
    await tx.put(metadataSearch, { app, keys: ['tenant'], ready: [] });
    await tx.put(metadataSearchProgress, { app, next: 'external public' });
  });
}

/** A user who waits to be imported, with the claim of a worker on it. */
async function fillQueue({ services }: InProcessCore, call: AppCall): Promise<void> {
  const loginMethods = [{ recipeId: 'emailpassword', email: 'late@example.com', plainTextPassword: PASSWORD }];
  const { users } = await call('POST', '/bulk-import/users', { users: [{ loginMethods }] });
  const [{ id = '' } = {}] = users as { id: string }[];
  const entries = await services.store.read((reader) => reader.list(queueEntries, undefined, { prefix: [], limit: 1000 }));
  const entry = entries.find((one) => one.id === id);
  if (!entry) throw new Error('nobody waits');
  await claimPiece(services.store, { app: entry.app, owner: 'worker', delayMs: 0, most: 1, now: services.now() });
}

/** What belongs to no tenant. */
async function fillAppItself(call: AppCall): Promise<void> {
  await call('PUT', '/ee/license', { licenseKey: 'a licence' });
  await call('PUT', '/recipe/role', { role: 'admin', permissions: ['read', 'write'] });
  await call('PUT', '/recipe/role', { role: 'short-lived', permissions: ['read'] });
  await call('PUT', '/recipe/user/role', { userId: 'guest', role: 'short-lived' });
  await call('POST', '/recipe/role/remove', { role: 'short-lived' });
  await call('POST', '/recipe/dashboard/user', { email: 'boss@example.com', password: PASSWORD });
  await call('POST', '/recipe/dashboard/signin', { email: 'boss@example.com', password: PASSWORD });
}

async function fillTenant(core: InProcessCore, call: AppCall, tenant: string): Promise<void> {
  const config = { thirdPartyId: 'google', clients: [{ clientId: tenant }] };
  await call('PUT', `/${tenant}/recipe/multitenancy/config/thirdparty`, { config });
  const email = `${tenant}@example.com`;
  const userId = idOf(await call('POST', `/${tenant}/recipe/signup`, { email, password: PASSWORD }));
  await call('POST', `/${tenant}/recipe/signin`, { email, password: PASSWORD });
  await call('POST', `/${tenant}/recipe/signin`, { email, password: 'a wrong one' });
  await call('POST', `/${tenant}/recipe/user/password/reset/token`, { userId, email });
  const { token } = await call('POST', `/${tenant}/recipe/user/email/verify/token`, { userId, email });
  await call('POST', `/${tenant}/recipe/user/email/verify`, { method: 'token', token });
  await call('POST', `/${tenant}/recipe/user/email/verify/token`, { userId, email: `other-${email}` });
  await thirdParty(call, tenant, 'somebody');
  await passwordless(call, tenant);
  await passkey(call, tenant);
  await saml(core, call, tenant);
  await call('POST', '/recipe/userid/map', { superTokensUserId: userId, externalUserId: `external ${tenant}`, force: true });
  await fillNonAuthData(core, call, tenant, `external ${tenant}`);
}

/** What operators of an app keep: a webhook with a message that waits and one that was given up, and a session of their own. */
async function fillOperation({ services, clock }: InProcessCore, { appId, host }: AppPlace): Promise<void> {
  const found = await services.directory.find({ cud: host ?? '', appId, tenantId: 'public' });
  if (!found) throw new Error(`there is no app ${appId}`);
  const { app } = found;
  const at = clock.now;
  const hook = {
    app,
    id: 'hook',
    url: 'https://hooks.example.com/',
    kinds: ['*'],
    tenantId: null,
    description: '',
    cud: host ?? '',
    appId,
  };
  const switched = { isEnabled: true, disabledBecause: null, switchedAt: at, createdAt: at, secrets: [] };
  const counts = { cursor: 2, queued: 1, dead: 1, failedInRow: 0, probes: 0, restUntil: 0, cameBackAt: 0, revision: 0 };
  const untried = { attempts: 0, nextAt: 0, firstTriedAt: null, lastTriedAt: null, fault: null };
  const event = { kind: 'user.created', at, line: '', body: '{}' };
  const message = (sequence: number): Message => ({ app, webhook: 'hook', sequence, event: `event ${sequence}`, ...event, ...untried });
  const session = { app, digest: 'digest', id: 'session', userId: 'boss', address: '' };
  await services.store.transact(async (tx) => {
    await tx.insert(webhooks, { ...hook, ...switched });
    await tx.insert(webhookStates, { app, id: 'hook', ...counts, failingSince: null, deliveredAt: null, attempts: [] });
    await tx.insert(queuedMessages, message(2));
    await tx.insert(deadMessages, message(1));
    await tx.insert(operators, { app, userId: 'boss', role: 'viewer', grantedAt: at });
    await tx.insert(operatorSessions, { ...session, createdAt: at, usedAt: at, expiresAt: at + 60_000_000 });
  });
}

/** A third-party user of a tenant; answers its id. */
async function thirdParty(call: AppCall, tenant: string, account: string): Promise<string> {
  const email = { id: `${account}.${tenant}@example.com`, isVerified: true };
  return idOf(
    await call('POST', `/${tenant}/recipe/signinup`, { thirdPartyId: 'google', thirdPartyUserId: `${account} ${tenant}`, email }),
  );
}

/** One user who came in by a code, with an email and a phone number, and a code that nobody used. */
async function passwordless(call: AppCall, tenant: string): Promise<void> {
  const code = `/${tenant}/recipe/signinup/code`;
  const { preAuthSessionId, linkCode } = await call('POST', code, { email: `code.${tenant}@example.com` });
  const recipeUserId = idOf(await call('POST', `${code}/consume`, { preAuthSessionId, linkCode }));
  await call('PUT', '/recipe/user', { recipeUserId, phoneNumber: `+49301234${tenant.length}` }, 'passwordless');
  await call('POST', code, { phoneNumber: '+4930999' });
}

/** One user with a passkey, who forgot it, and options that nobody answered. */
async function passkey(call: AppCall, tenant: string): Promise<void> {
  const recipe = `/${tenant}/recipe/webauthn`;
  const party = { relyingPartyName: 'Example', relyingPartyId: 'example.com', origin: 'https://example.com', timeout: 60_000_000 };
  const email = `key.${tenant}@example.com`;
  const { webauthnGeneratedOptionsId, challenge } = await call('POST', `${recipe}/options/register`, { ...party, email });
  const credential = new SoftwareAuthenticator().create({ challenge: String(challenge) });
  const userId = idOf(await call('POST', `${recipe}/signup`, { webauthnGeneratedOptionsId, credential }));
  await call('POST', `${recipe}/user/recover/token`, { userId, email });
}

const idp = makeIdp();

/** A finished SAML login whose code nobody redeemed, one that nobody finished, a test of it, and keys of both kinds. */
async function saml(core: InProcessCore, call: AppCall, tenant: string): Promise<void> {
  const recipe = `/${tenant}/recipe/saml`;
  await call('GET', `/${tenant}/recipe/saml/metadata`);
  const redirectURI = 'https://app.example.com/';
  const metadataXML = base64Of(metadataOf(await idp));
  await call('PUT', `${recipe}/clients`, { clientId: 'idp', redirectURIs: [redirectURI], defaultRedirectURI: redirectURI, metadataXML });
  const begin = () => call('POST', `${recipe}/login`, { clientId: 'idp', redirectURI, acsURL: ACS });
  await begin();
  await call('POST', `/${tenant}/manage/v1/saml/test`, { clientId: 'idp', acsURL: ACS });
  const to = readLogin(String((await begin())['ssoRedirectURI']));
  const samlResponse = answerTo(await idp, to, { now: core.clock.now });
  const { status } = await call('POST', `${recipe}/callback`, { samlResponse, relayState: to.relayState });
  if (status !== 'OK') throw new Error(`a SAML login failed: ${String(status)}`);
}

async function fillNonAuthData(core: InProcessCore, call: AppCall, tenant: string, userId: string): Promise<void> {
  await call('POST', `/${tenant}/recipe/session`, { userId, ...SESSION });
  await call('PUT', `/${tenant}/recipe/user/role`, { userId, role: 'admin' });
  await call('PUT', '/recipe/user/metadata', { userId, metadataUpdate: { tenant } });
  const { secret } = await call('POST', '/recipe/totp/device', { userId, ...DEVICE });
  const totp = totpCode({ secret: String(secret), ...DEVICE }, core.clock.now) ?? '';
  await call('POST', `/${tenant}/recipe/totp/device/verify`, { userId, deviceName: DEVICE.deviceName, totp });
  await call('POST', `/${tenant}/recipe/totp/verify`, { userId, totp });
}

/** What older releases kept of TOTP attempts, tenant by tenant. */
async function fillTenantAttempts(
  { services, clock }: InProcessCore,
  { appId, host }: AppPlace,
  tenants: readonly string[],
): Promise<void> {
  for (const tenantId of tenants) {
    const found = await services.directory.find({ cud: host ?? '', appId, tenantId });
    if (!found) throw new Error(`${appId} has no tenant ${tenantId}`);
    const { app, tenant } = found;
    const times = { failures: [clock.now], uses: [], expiresAt: clock.now, cleanAfter: clock.now };
    await services.store.transact((tx) => tx.put(tenantTotpAttempts, { app, tenant, userId: 'holder', ...times }));
  }
}

/** When an API key was last used; the keys themselves stand in the record of the app. */
async function fillKeyUse({ services, clock }: InProcessCore, { appId, host }: AppPlace): Promise<void> {
  const found = await services.directory.find({ cud: host ?? '', appId, tenantId: 'public' });
  if (!found) throw new Error(`there is no app ${appId}`);
  await services.store.transact((tx) => tx.put(apiKeyUses, { app: found.app, name: 'key', at: clock.now }));
}

/** A group whose members are in several tenants, and a member of all of them. */
async function shareUsers(call: AppCall, tenants: readonly string[]): Promise<void> {
  const ids: string[] = [];
  for (const tenant of tenants) ids.push(await thirdParty(call, tenant, 'member'));
  const [primaryUserId = '', ...members] = ids;
  await call('POST', '/recipe/accountlinking/user/primary', { recipeUserId: primaryUserId });
  for (const recipeUserId of members) await call('POST', '/recipe/accountlinking/user/link', { recipeUserId, primaryUserId });
  for (const tenant of tenants) await call('POST', `/${tenant}/recipe/multitenancy/tenant/user`, { recipeUserId: primaryUserId });
}

/** @throws where the answer names no user, which a test must not miss */
function idOf({ status, recipeUserId }: Body): string {
  if (typeof recipeUserId !== 'string') throw new Error(`no user was made: ${String(status)}`);
  return recipeUserId;
}
