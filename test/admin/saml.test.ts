import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ACS, answerTo, APP, readLogin } from '../recipes/saml/calls.ts';
import { makeIdp, metadataOf, type TestIdp } from '../saml-idp/idp.ts';
import { postedResponse } from '../saml-idp/response.ts';
import { type AdminPage, describeAdminPage, expectPresentable } from './admin-page.ts';

const HTML = '<img src=x onerror=alert(1)>"&\u202e';
let count = 0;

/** An identity provider of its own for each test, so that they do not meet. */
async function newIdp(): Promise<TestIdp & { readonly clientId: string }> {
  count += 1;
  return { ...(await makeIdp(`https://idp-${count}.example.com/`)), clientId: `client-${count}` };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function connect(admin: AdminPage, idp: TestIdp & { readonly clientId: string }, more: object = {}): Promise<void> {
  const client = { clientId: idp.clientId, redirectURIs: [APP], defaultRedirectURI: APP, metadataXML: base64(metadataOf(idp)) };
  const { status } = await admin.ask('PUT', '/recipe/saml/clients', { ...client, ...more });
  expect(status).toBe('OK');
}

const addressOf = (clientId: string, query = ''): string => `#/saml/${encodeURIComponent(clientId)}${query}`;
const WITH_ACS = `?acs=${encodeURIComponent(ACS)}`;

describeAdminPage('the page of SAML clients', (admin) => {
  describe('without any', () => {
    test('says what to do, by role', async () => {
      await admin.ask('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'empty' });
      const page = await admin.open('admin', '#/saml?tenant=empty');
      await page.getByText('No identity provider is connected yet. Give its administrator').waitFor();
      await expectPresentable(page, 'saml-empty');
      const viewer = await admin.open('viewer', '#/saml?tenant=empty');
      await viewer.getByText('An operator with the role admin can connect one').waitFor();
    });
  });

  test('connects one by a file of metadata, changes it, and removes it after a warning', async () => {
    const idp = await newIdp();
    const folder = mkdtempSync(join(tmpdir(), 'watchword-saml-'));
    const file = join(folder, 'metadata.xml');
    writeFileSync(file, metadataOf(idp));
    const page = await admin.open('admin', '#/saml');
    await page.getByRole('button', { name: 'Connect an identity provider' }).click();
    await page.getByLabel('Client id').fill(idp.clientId);
    await page.getByLabel('Metadata file').setInputFiles(file);
    await expect.poll(() => page.getByLabel('Metadata XML').inputValue()).toContain('EntityDescriptor');
    await page.getByLabel('Redirect URIs').fill('http://app.example.com/');
    const save = page.getByRole('dialog').getByRole('button', { name: 'Connect an identity provider' });
    await save.click();
    await page.getByText('A redirect URI is not allowed').waitFor();
    await page.getByLabel('Redirect URIs').fill(`${APP}\n${APP}2\n`);
    await expectPresentable(page, 'saml-connect');
    await save.click();
    await page.getByRole('heading', { level: 1, name: idp.clientId }).waitFor();
    expect(new URL(page.url()).hash).toBe(addressOf(idp.clientId));
    await page.getByText(idp.entityId).first().waitFor();
    rmSync(folder, { recursive: true });

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Default redirect URI').fill(`${APP}2`);
    await page.getByLabel('The identity provider may begin logins').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { clients } = await admin.ask('GET', `/manage/v1/saml/clients?clientId=${idp.clientId}`);
    expect(clients).toMatchObject([
      { redirectURIs: [APP, `${APP}2`], defaultRedirectURI: `${APP}2`, allowIDPInitiatedLogin: true, enableRequestSigning: true },
    ]);

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Nobody will be able to sign in').waitFor();
    await page.getByLabel(`Type “${idp.clientId}” to confirm`).fill(idp.clientId);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${idp.clientId} is removed.`).waitFor();
    expect(await admin.ask('GET', `/manage/v1/saml/clients?clientId=${idp.clientId}`)).toMatchObject({ clients: [] });
  });

  test('takes pasted metadata, refuses what is none, an id that is taken and an identity provider that is', async () => {
    const [idp, other] = [await newIdp(), await newIdp()];
    await connect(admin, idp);
    const page = await admin.open('admin', '#/saml');
    await page.getByRole('button', { name: 'Connect an identity provider' }).click();
    const save = page.getByRole('dialog').getByRole('button', { name: 'Connect an identity provider' });
    await page.getByLabel('Client id').fill(idp.clientId);
    await page.getByLabel('Redirect URIs').fill(APP);
    await page.getByLabel('Metadata XML').fill('<a/>');
    await save.click();
    await page.getByText(`This tenant has a client ${idp.clientId} already`).waitFor();
    await page.getByLabel('Client id').fill(other.clientId);
    await save.click();
    await page.getByText('metadataXML does not have a valid SAML metadata').waitFor();
    await page.getByLabel('Metadata XML').fill(metadataOf(idp));
    await save.click();
    await page.getByText('Another client of this tenant is connected to this identity provider').waitFor();
    await page.getByLabel('Metadata XML').fill(metadataOf(other));
    await save.click();
    await page.getByRole('heading', { level: 1, name: other.clientId }).waitFor();
  });

  test('of two who edit one client, the second is told', async () => {
    const idp = await newIdp();
    await connect(admin, idp);
    const page = await admin.open('admin', addressOf(idp.clientId));
    await page.getByRole('button', { name: 'Edit' }).click();
    await admin.ask('POST', '/manage/v1/saml/clients/update', { clientId: idp.clientId, enableRequestSigning: false });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody changed this client while you had it open').waitFor();
  });

  test('gives what the identity provider has to know: metadata and certificate to download, for an ACS URL', async () => {
    const idp = await newIdp();
    await connect(admin, idp);
    const page = await admin.open('viewer', addressOf(idp.clientId));
    await page.getByText('Not known to the core').waitFor();
    await page.getByLabel('ACS URL').fill(ACS);
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByText(ACS, { exact: true }).first().waitFor();
    expect(page.url()).toContain(`acs=${encodeURIComponent(ACS)}`);
    const download = async (name: string): Promise<string> => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
      return readFileSync(await file.path(), 'utf8');
    };
    const xml = await download('Download metadata');
    expect(xml).toContain(`Location="${ACS}"`);
    expect(xml).toContain('AuthnRequestsSigned="true"');
    const pem = await download('Download the signing certificate');
    expect(pem).toMatch(/^-----BEGIN CERTIFICATE-----\n(?:[A-Za-z0-9+/=]{1,64}\n)+-----END CERTIFICATE-----\n$/);
    expect(xml).toContain(pem.split('\n').slice(1, -2).join(''));
  });

  /** Begins a test; answers the login that the identity provider is asked for. */
  async function begin(page: Page) {
    await page.getByRole('button', { name: 'Start a test login' }).click();
    const link = page.getByRole('link', { name: 'Sign in at the identity provider' });
    await link.waitFor();
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    return readLogin((await link.getAttribute('href')) ?? '');
  }

  test('a test login that went well tells who would have signed in, in both tabs', async () => {
    const idp = await newIdp();
    await connect(admin, idp);
    const page = await admin.open('admin', addressOf(idp.clientId, WITH_ACS));
    const to = await begin(page);
    expect(to.acsUrl).toBe(ACS);
    await page.getByText('waiting').waitFor();
    const attributes = [
      { name: 'mail', values: ['ann@example.com'] },
      { name: HTML, values: [HTML] },
    ];
    const { redirectURI } = await admin.ask('POST', '/recipe/saml/callback', {
      samlResponse: answerTo(idp, to, { attributes, nameId: HTML.slice(0, -1) }),
      relayState: to.relayState,
    });
    await page.getByText('The response was accepted').waitFor();
    await page.getByText('ann@example.com').first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await expectPresentable(page, 'saml-test-accepted');
    await page.goto(String(redirectURI));
    await page.reload();
    await page.getByText('The response was accepted').waitFor();
  });

  test('a test login that was refused tells each check, what was found and what to change', async () => {
    const idp = await newIdp();
    await connect(admin, idp);
    const page = await admin.open('admin', addressOf(idp.clientId, WITH_ACS));
    const to = await begin(page);
    const answer = answerTo(idp, to, { audiences: ['https://wrong.example.com'] });
    expect(await admin.ask('POST', '/recipe/saml/callback', { samlResponse: answer, relayState: to.relayState })).toEqual({
      status: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR',
    });
    await page.getByText('The response was refused: another audience.').waitFor();
    const failed = page.getByRole('listitem').filter({ hasText: 'fails' });
    expect(await failed.count()).toBe(1);
    expect(await failed.textContent()).toContain('https://wrong.example.com');
    expect(await failed.textContent()).toContain('saml_sp_entity_id');
    await page.getByText('Show the XML').click();
    expect(await page.locator('pre').textContent()).toMatch(/SignatureValue>…</);
    await expectPresentable(page, 'saml-test-refused');
  });

  test('a test needs an ACS URL, and says so', async () => {
    const idp = await newIdp();
    await connect(admin, idp);
    const page = await admin.open('admin', addressOf(idp.clientId));
    await page.getByRole('button', { name: 'Start a test login' }).click();
    await page.getByText('acsURL is missing').waitFor();
  });

  test('explains a response that was captured: as XML, in base64, or as a form has it', async () => {
    const idp = await newIdp();
    await connect(admin, idp, { allowIDPInitiatedLogin: true });
    const page = await admin.open('admin', addressOf(idp.clientId));
    const response = postedResponse(idp);
    const xml = Buffer.from(response, 'base64').toString();
    for (const text of [response, xml, `SAMLResponse=${encodeURIComponent(response)}&RelayState=x`]) {
      await page.getByLabel('SAML response').fill('x');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('The response was refused').waitFor();
      await page.getByLabel('SAML response').fill(text);
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('The response was accepted').waitFor();
    }
  });

  test('lists what there is, with HTML in names as text, page by page', async () => {
    await admin.ask('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'many' });
    const idp = await newIdp();
    for (let n = 0; n < 55; n += 1) {
      const body = {
        clientId: n === 0 ? HTML : `c${n}`,
        redirectURIs: [APP],
        defaultRedirectURI: APP,
        metadataXML: base64(metadataOf({ ...idp, entityId: `https://idp.example.com/${n}` })),
      };
      await admin.ask('PUT', '/many/recipe/saml/clients', body);
    }
    const page = await admin.open('viewer', '#/saml?tenant=many');
    await page.getByRole('link', { name: HTML }).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'c54', exact: true }).waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await expectPresentable(page, 'saml');
    await page.getByRole('link', { name: HTML }).click();
    await page.getByRole('heading', { level: 1, name: HTML }).waitFor();
  });

  describe('a role that may only look', () => {
    let idp: TestIdp & { readonly clientId: string };
    beforeAll(async () => {
      idp = await newIdp();
    });

    test.each(['viewer', 'support'] as const)('%s is offered no change, and gets none past the page', async (role) => {
      await connect(admin, idp);
      const page = await admin.open(role, addressOf(idp.clientId));
      await page.getByText(idp.entityId).first().waitFor();
      for (const name of ['Edit', 'Remove', 'Start a test login', 'Explain', 'Connect an identity provider']) {
        expect(await page.getByRole('button', { name }).count(), name).toBe(0);
      }
      const { clientId } = idp;
      const changes: readonly (readonly [string, string, object])[] = [
        ['PUT', '/recipe/saml/clients', { clientId }],
        ['POST', '/recipe/saml/clients/remove', { clientId }],
        ['POST', '/manage/v1/saml/clients/update', { clientId, enableRequestSigning: false }],
        ['POST', '/manage/v1/saml/test', { clientId, acsURL: ACS }],
        ['POST', '/manage/v1/saml/test/response', { clientId, samlResponse: '' }],
      ];
      for (const [method, path, body] of changes) expect(await admin.askFrom(page, method, path, body), path).toBe(403);
      expect(await admin.askFrom(page, 'GET', '/manage/v1/saml/test?testId=x')).toBe(403);
      expect(await admin.askFrom(page, 'GET', '/recipe/saml/clients/list')).toBe(403);
      if (role === 'viewer') await expectPresentable(page, 'saml-client');
    });
  });
});
