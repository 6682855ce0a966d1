import { X509Certificate } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { newSpCredential } from '../../src/crypto/saml/sp-credential.ts';
import { checkCertificates, checkSigningKeys, checkStoredTimes, countKeptKeys } from '../../src/doctor/store-checks.ts';
import { leases } from '../../src/jobs/runner.ts';
import { samlClients, samlSpCredentials } from '../../src/recipes/saml/records.ts';
import { signingKeys } from '../../src/recipes/signing-keys/records.ts';
import { BASE_ADDRESS, ensureBaseTenant } from '../../src/recipes/tenants/ensure-base-tenant.ts';
import { tenants } from '../../src/recipes/tenants/records.ts';
import type { AppNumber, Store, TenantNumber } from '../../src/store/store.ts';
import { openForTest } from '../store/engines.ts';
import { linesOf } from './machine.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 22);
const app = 1 as AppNumber;
const tenant = 2 as TenantNumber;

let store: Store;

beforeEach(async () => {
  store = await openForTest({ engine: 'memory' });
  await ensureBaseTenant(store);
});

test('a time that has not come yet', async () => {
  const put = (ranAt: number) => store.transact((tx) => tx.put(leases, { job: 'sweep', holder: '', heldUntil: 0, ranAt }));
  const lines = async () => linesOf(await store.read((reader) => checkStoredTimes(reader, NOW)));
  await put(NOW);
  expect(await lines()).toEqual(['ok: nothing in the store is from the future']);
  await put(NOW + DAY_MS);
  expect(await lines()).toEqual(['warning: a job ran at 2026-11-23T00:00:00.000Z, which has not come yet: the clock was set back']);
});

test('old static keys', async () => {
  const put = (kid: string, createdAt: number) =>
    store.transact((tx) => tx.put(signingKeys, { app, kid, publicKey: '', privateKey: '', createdAt }));
  const lines = async () => linesOf(await store.read((reader) => checkSigningKeys(reader, NOW)));
  await put('d-1', 1);
  await put('s-1', NOW - 1000 * DAY_MS);
  expect(await lines()).toEqual(['note: the static signing keys of 1 apps are older than two years']);
  await put('s-2', NOW - DAY_MS);
  expect((await lines())[0]).toMatch(/^ok:/);
});

test('certificates that end', async () => {
  const lines = async () => linesOf(await store.read((reader) => checkCertificates(reader, NOW)));
  expect(await lines()).toEqual(['ok: certificates of 0 SAML service providers and 0 clients hold']);
  const credential = await newSpCredential(NOW - 9 * 365 * DAY_MS);
  const end = Date.parse(new X509Certificate(Buffer.from(credential.certificate, 'base64')).validTo);
  expect(end).toBeGreaterThan(NOW);
  await store.transact(async (tx) => {
    await tx.put(samlSpCredentials, { app, tenant, credentials: [{ ...credential, notAfter: NOW + 10 * DAY_MS }] });
    await tx.put(samlClients, {
      app,
      tenant,
      clientId: 'acme',
      clientSecret: null,
      ssoLoginUrl: 'https://idp.example.com',
      redirectUris: ['https://app.example.com'],
      defaultRedirectUri: 'https://app.example.com',
      idpEntityId: 'https://idp.example.com',
      certificates: [credential.certificate, 'no certificate'],
      allowIdpInitiatedLogin: false,
      enableRequestSigning: false,
      createdAt: NOW,
      updatedAt: NOW,
    });
  });
  expect(await lines()).toEqual(['note: a certificate of a SAML service provider will end in 10 days']);
  expect(linesOf(await store.read((reader) => checkCertificates(reader, end + DAY_MS)))).toEqual([
    expect.stringMatching(/^warning: a certificate of a SAML service provider ended \d+ days ago$/),
    'warning: the certificates of SAML client acme ended 1 days ago',
  ]);
});

test('kept API keys are counted', async () => {
  const { cud, appId, tenantId } = BASE_ADDRESS;
  const count = () => store.read((reader) => countKeptKeys(reader));
  expect(await count()).toBe(0);
  await store.transact(async (tx) => {
    const base = await tx.get(tenants, [cud, appId, tenantId]);
    if (base) await tx.put(tenants, { ...base, apiKeys: [{ name: 'a', digest: 'x', scopes: ['all'], createdAt: NOW, expiresAt: null }] });
  });
  expect(await count()).toBe(1);
});
