import { beforeEach, describe, expect, test } from 'vitest';
import { parseEvent, pendingEvents } from '../../../src/recipes/audit/records.ts';
import { samlClaims, samlRelayStates, samlTests, samlUsedAssertions } from '../../../src/recipes/saml/records.ts';
import type { InProcessAnswer } from '../../in-process-core.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../../saml-idp/idp.ts';
import { newId, postedResponse, type ResponseOptions } from '../../saml-idp/response.ts';
import { ACS, answerTo, APP, type AskedLogin, readLogin, SamlCalls, SERVICE } from './calls.ts';

const MINUTE_MS = 60_000;
const TEST = '/manage/v1/saml/test';
const FAILED = { status: 200, body: { status: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR' } };
const UNKNOWN_STATE = { status: 200, body: { status: 'INVALID_RELAY_STATE_ERROR' } };
const ENDED = `${APP}?error=saml_test&error_description=A+test+of+the+SAML+connection+ended.`;

let idp: TestIdp;
let stranger: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  stranger ??= await makeIdp();
  calls = new SamlCalls(await openInProcessCore('5.4'));
});

interface Check {
  readonly check: string;
  readonly outcome: string;
  readonly title: string;
  readonly expected?: string;
  readonly found?: string;
  readonly fault?: string;
  readonly change?: string;
}
interface Explanation {
  readonly summary: string;
  readonly checks: readonly Check[];
  readonly warnings: readonly string[];
  readonly response?: { readonly isProven: boolean; readonly signedBy?: string; readonly assertion?: object };
  readonly xml?: string;
  readonly user?: object;
}
interface Shown {
  readonly state: string;
  readonly explanation: Explanation | null;
  readonly endedAt: number | null;
}

async function start(more: object = {}, at = ''): Promise<{ readonly testId: string; readonly to: AskedLogin }> {
  const { status, body } = await calls.at('POST', TEST, { clientId: 'c', acsURL: ACS, ...more }, { at });
  expect(status, JSON.stringify(body)).toBe(200);
  return { testId: String(body['testId']), to: readLogin(String(body['url'])) };
}

const ask = (testId: string, at = ''): Promise<InProcessAnswer> => calls.at('GET', `${TEST}?testId=${testId}`, undefined, { at });
const show = async (testId: string): Promise<Shown> => (await ask(testId)).body['test'] as Shown;

/** A whole test; what its operator sees. */
async function run(said: ResponseOptions = {}, by: TestIdp = idp): Promise<Explanation> {
  const { testId, to } = await start();
  await calls.finish(answerTo(by, to, { now: calls.core.clock.now, ...said }), to.relayState);
  const { explanation } = await show(testId);
  if (!explanation) throw new Error('the test goes on');
  return explanation;
}

const checkNamed = ({ checks }: Explanation, name: string): Check | undefined => checks.find(({ check }) => check === name);
const failedIn = ({ checks }: Explanation): readonly string[] =>
  checks.flatMap(({ check, outcome }) => (outcome === 'failed' ? [check] : []));

const kept = async () => {
  const range = { prefix: [], limit: 100 } as const;
  const found = await calls.core.services.store.read((reader) =>
    Promise.all([
      reader.keys(samlRelayStates, undefined, range),
      reader.keys(samlClaims, undefined, range),
      reader.keys(samlUsedAssertions, undefined, range),
      reader.keys(samlTests, undefined, range),
    ]),
  );
  const [relayStates, claims, assertions, tests] = found.map(({ length }) => length);
  return { relayStates, claims, assertions, tests };
};

describe('a test login', () => {
  test('asks as every login does, waits, and shows what arrived and that it was accepted', async () => {
    await calls.connect(idp);
    const { testId, to } = await start();
    expect(to).toMatchObject({ acsUrl: ACS, ssoUrl: 'https://idp.example.com/sso' });
    expect(await show(testId)).toMatchObject({ clientId: 'c', acsURL: ACS, state: 'waiting', endedAt: null, explanation: null });
    const attributes = [{ name: 'mail', values: ['ann@example.com'] }];
    const answer = answerTo(idp, to, { attributes, nameId: 'ann', now: calls.core.clock.now });
    expect(await calls.finish(answer, to.relayState)).toEqual({ status: 200, body: { status: 'OK', redirectURI: ENDED } });
    const { state, explanation, endedAt } = await show(testId);
    expect({ state, endedAt }).toEqual({ state: 'accepted', endedAt: calls.core.clock.now });
    expect(explanation).toMatchObject({
      summary: 'The response was accepted: a login like this one would have gone well.',
      user: { sub: 'ann', email: 'ann@example.com' },
      warnings: [],
      response: { isProven: true, destination: ACS, inResponseTo: to.requestId, assertion: { audiences: [SERVICE], attributes } },
    });
    expect(new Set(explanation?.checks.map(({ outcome }) => outcome))).toEqual(new Set(['held']));
    expect(explanation && checkNamed(explanation, 'signature')?.found).toBe(`SHA-256 ${explanation?.response?.signedBy}`);
  });

  test('takes the address of the tenant where none is given, and says so where there is none', async () => {
    await calls.connect(idp);
    const missing = await calls.at('POST', TEST, { clientId: 'c' });
    expect(missing).toMatchObject({ status: 400, body: { text: expect.stringContaining('saml_sp_acs_url') } });
    for (const acsURL of ['app.example.com', 'javascript:alert(1)', 'https://', 'https://x/\u0001']) {
      expect((await calls.at('POST', TEST, { clientId: 'c', acsURL })).status).toBe(400);
    }
    await calls.addTenant('t1', { saml_sp_acs_url: 'https://t1.example.com/acs' });
    await calls.connect(idp, {}, { at: '/t1' });
    expect((await start({ acsURL: undefined }, '/t1')).to.acsUrl).toBe('https://t1.example.com/acs');
    expect((await calls.at('POST', TEST, { clientId: 'nobody', acsURL: ACS })).body).toEqual({ status: 'UNKNOWN_CLIENT_ERROR' });
  });

  test('is told in the audit trail', async () => {
    await calls.connect(idp);
    await start();
    const range = { prefix: [], limit: 100 } as const;
    const events = await calls.core.services.store.read((reader) => reader.list(pendingEvents, undefined, range));
    const tested = events.map(({ text }) => parseEvent(text)).filter(({ kind }) => kind === 'saml-client.tested');
    expect(tested).toMatchObject([{ tenantId: 'public', details: { client: 'c' } }]);
  });

  test('stops waiting after ten minutes and is forgotten half an hour later; of one tenant the last ten are kept', async () => {
    await calls.connect(idp);
    const { clock } = calls.core;
    const { testId, to } = await start();
    clock.now += 10 * MINUTE_MS + 1;
    expect(await show(testId)).toMatchObject({ state: 'expired', explanation: null });
    expect(await calls.finish(answerTo(idp, to, { now: clock.now }), to.relayState)).toEqual(UNKNOWN_STATE);
    clock.now += 30 * MINUTE_MS;
    expect((await ask(testId)).body).toEqual({ status: 'UNKNOWN_TEST_ERROR' });
    const started: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      clock.now += 1;
      started.push((await start()).testId);
    }
    expect((await kept()).tests).toBe(10);
    const states = await Promise.all(started.map(async (id) => (await ask(id)).body['status']));
    expect(states).toEqual([...Array(2).fill('UNKNOWN_TEST_ERROR'), ...Array(10).fill('OK')]);
  });

  test('warns of what would be in the way of the application', async () => {
    await calls.connect(idp);
    const { warnings, user } = await run({
      nameId: 'x',
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
      attributes: [],
    });
    expect(user).toEqual({ sub: 'x', email: null });
    expect(warnings).toEqual([expect.stringContaining('saml_email_attributes'), expect.stringContaining('persistent')]);
  });
});

describe('a response that is refused is explained', () => {
  const now = Date.now();
  test.each<[string, ResponseOptions, readonly string[], RegExp]>([
    ['audience', { audiences: ['https://other.example.com'] }, ['audience'], /saml_sp_entity_id/],
    ['destination', { destination: 'https://other.example.com/acs' }, ['destination'], /https:\/\/app\.example\.com\/acs/],
    ['subject', { acsUrl: 'https://other.example.com/acs', destination: ACS }, ['subject'], /Recipient/],
    ['request', { inResponseTo: '_other' }, ['request', 'subject'], /another request/],
    ['status', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }, ['status'], /log says why/],
    ['issuer', { issuer: 'https://other.example.com/' }, ['issuer'], /metadata of this one/],
    ['validity', { notBefore: 120 }, ['validity'], /saml_time_tolerance_ms/],
    ['signature', { sign: 'none' }, ['signature'], /sign the assertion/],
    ['issued', { now: now - 60 * MINUTE_MS }, ['issued', 'subject', 'validity'], /NTP/],
  ])('%s', async (name, said, failed, change) => {
    await calls.connect(idp);
    const explanation = await run(said);
    expect(failedIn(explanation)).toEqual(failed);
    expect(checkNamed(explanation, name)).toMatchObject({ fault: expect.any(String), change: expect.stringMatching(change) });
    expect(explanation.summary).toMatch(/^The response was refused: /);
    expect(explanation).not.toHaveProperty('user');
  });

  test('with all faults of what it says at once, each with what was expected and found', async () => {
    await calls.connect(idp);
    const explanation = await run({ audiences: ['https://other.example.com'], destination: 'https://elsewhere.example.com' });
    expect(failedIn(explanation)).toEqual(['destination', 'audience']);
    expect(checkNamed(explanation, 'audience')).toMatchObject({ expected: SERVICE, found: 'https://other.example.com' });
    expect(explanation.summary).toBe('The response was refused: another Destination. 1 more of the checks failed, too.');
  });

  test('as signed by another certificate, with the fingerprints; what is not proven is not said to be', async () => {
    await calls.connect(idp);
    const explanation = await run({}, stranger);
    expect(failedIn(explanation)).toEqual(['signature']);
    expect(checkNamed(explanation, 'signature')?.expected).toMatch(/^SHA-256 [0-9a-f]{64}$/);
    expect(checkNamed(explanation, 'audience')).toMatchObject({ outcome: 'skipped' });
    expect(explanation.response).toMatchObject({ isProven: false, assertion: { audiences: [SERVICE] } });
  });

  test('where it is no response at all; the SDK hears what it always hears', async () => {
    await calls.connect(idp);
    const { testId, to } = await start();
    const answer = await calls.finish(base64Of('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'), to.relayState);
    expect(answer).toEqual({ status: 400, body: { text: 'Invalid or malformed SAML response input\n' } });
    const { state, explanation } = await show(testId);
    expect(state).toBe('refused');
    expect(explanation && failedIn(explanation)).toEqual(['response']);
    expect(explanation?.xml).toContain('<!DOCTYPE');
    expect(JSON.stringify(explanation)).not.toContain('root:');
  });

  test('where the client was removed in the meantime', async () => {
    await calls.connect(idp);
    const { testId, to } = await start();
    await calls.at('POST', '/recipe/saml/clients/remove', { clientId: 'c' });
    expect((await calls.finish(answerTo(idp, to), to.relayState)).body).toEqual({ status: 'INVALID_CLIENT_ERROR' });
    expect(await show(testId)).toMatchObject({ state: 'refused', explanation: { summary: expect.stringContaining('removed') } });
  });
});

describe('a response that was captured elsewhere', () => {
  const tried = async (samlResponse: string, more: object = {}) =>
    (await calls.at('POST', `${TEST}/response`, { clientId: 'c', samlResponse, ...more })).body;

  test('is explained as often as one likes, and has no effect', async () => {
    await calls.connect(idp);
    const to = await calls.asked();
    const response = answerTo(idp, to);
    const before = await kept();
    for (let count = 0; count < 2; count += 1) expect(await tried(response)).toMatchObject({ status: 'OK', isAccepted: true });
    expect(await kept()).toEqual(before);
    expect((await calls.finish(response, to.relayState)).body['status']).toBe('OK');
    const { isAccepted, explanation } = await tried(response, { acsURL: 'https://other.example.com/acs' });
    expect(isAccepted).toBe(false);
    expect(failedIn(explanation as Explanation)).toEqual(['destination', 'subject']);
    expect((await tried(response, { clientId: 'nobody' }))['status']).toBe('UNKNOWN_CLIENT_ERROR');
  });

  test('has the same limits as one that is posted', async () => {
    await calls.connect(idp);
    for (const samlResponse of [
      'A'.repeat(400_000),
      base64Of('<!DOCTYPE a><a/>'),
      '<a/>',
      '',
      base64Of(`${'<SignatureValue '.repeat(15_000)}`),
    ]) {
      const { isAccepted, explanation } = await tried(samlResponse);
      expect(isAccepted).toBe(false);
      expect(failedIn(explanation as Explanation)).toEqual(['response']);
    }
  });
});

describe('what an operator is told before', () => {
  test('of the clients: all but their secrets, page by page', async () => {
    const others = ['d', 'e'].map((clientId) => ({ ...idp, entityId: `https://${clientId}.example.com/` }));
    await calls.connect(idp, { clientSecret: 'do not show', allowIDPInitiatedLogin: true });
    calls.core.clock.now += 1;
    for (const other of others) await calls.connect(other, { clientId: other.entityId });
    const { body } = await calls.at('GET', '/manage/v1/saml/clients?limit=1');
    expect(body['clients']).toEqual([
      {
        clientId: 'c',
        hasClientSecret: true,
        redirectURIs: [APP],
        defaultRedirectURI: APP,
        idpEntityId: idp.entityId,
        ssoURL: 'https://idp.example.com/sso',
        certificates: [
          {
            subject: expect.any(String),
            issuer: expect.any(String),
            validFrom: expect.any(Number),
            validTo: expect.any(Number),
            sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          },
        ],
        allowIDPInitiatedLogin: true,
        enableRequestSigning: false,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('do not show');
    const token = encodeURIComponent(String(body['nextPaginationToken']));
    const next = await calls.at('GET', `/manage/v1/saml/clients?paginationToken=${token}`);
    expect(next.body['clients']).toMatchObject(others.map(({ entityId }) => ({ clientId: entityId })));
    expect(next.body).not.toHaveProperty('nextPaginationToken');
  });

  test('of the service: the metadata for one client and address, and the certificate', async () => {
    await calls.connect(idp, { enableRequestSigning: true });
    const path = '/manage/v1/saml/metadata';
    const { body } = await calls.at('GET', `${path}?clientId=c&acsURL=${encodeURIComponent(`${ACS}?a=1&b=2`)}`);
    expect(body).toMatchObject({ status: 'OK', entityId: SERVICE, acsURL: `${ACS}?a=1&b=2` });
    expect(body['metadataXML']).toContain('AuthnRequestsSigned="true"');
    expect(body['metadataXML']).toContain(`Location="${ACS}?a=1&amp;b=2"`);
    expect(body['certificates']).toMatchObject([{ use: 'signing', subject: expect.stringContaining('CN=SAML-SP') }]);
    const shown = String((await calls.core.call('GET', '/.well-known/sp-metadata')).body['text']);
    const plain = (await calls.at('GET', path)).body;
    expect(plain).toMatchObject({ acsURL: null, metadataXML: shown.trimEnd() });
    expect(JSON.stringify(body)).not.toMatch(/private/i);
    expect((await calls.at('GET', `${path}?clientId=x`)).body).toEqual({ status: 'UNKNOWN_CLIENT_ERROR' });
    expect((await calls.at('GET', `${path}?acsURL=x`)).status).toBe(400);
  });
});

describe('a test is never a login', () => {
  test('no code, no user, no login state; its relay state and its assertion are used up', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const { to } = await start();
    expect(await kept()).toMatchObject({ relayStates: 0, claims: 0, tests: 1 });
    const response = answerTo(idp, to);
    const { body } = await calls.finish(response, to.relayState);
    expect(body['redirectURI']).not.toContain('code=');
    expect(await kept()).toEqual({ relayStates: 0, claims: 0, assertions: 1, tests: 1 });
    expect(await calls.finish(response, to.relayState)).toEqual(UNKNOWN_STATE);
    expect(await calls.finish(answerTo(idp, to), to.relayState)).toEqual(UNKNOWN_STATE);
    for (const accessToken of [to.relayState, to.requestId, ''])
      expect(await calls.user(accessToken)).toEqual({ status: 'INVALID_TOKEN_ERROR' });
  });

  test('what it saw logs nobody in: not as begun by the identity provider, and not with the relay state of a login', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const assertionId = newId();
    const { to } = await start();
    const { testId, to: second } = await start();
    await calls.finish(answerTo(idp, to, { assertionId, inResponseTo: undefined }), to.relayState);
    expect(await calls.finish(postedResponse(idp, { assertionId }))).toEqual(FAILED);
    const login = await calls.asked();
    expect(await calls.finish(answerTo(idp, login, { assertionId }), login.relayState)).toEqual(FAILED);
    expect(await calls.finish(answerTo(idp, to), login.relayState)).toEqual(FAILED);
    expect(await calls.finish(answerTo(idp, second, { assertionId }), second.relayState)).toEqual(FAILED);
    const { explanation } = await show(testId);
    expect(explanation && failedIn(explanation)).toEqual(['replay']);
    expect(explanation).not.toHaveProperty('user');
    expect((await kept()).claims).toBe(0);
  });

  test.each(['assertion', 'response', 'both'] as const)(
    'what is shown of one signed by %s cannot be presented: the values of signatures are gone',
    async (sign) => {
      await calls.connect(idp);
      const { xml = '' } = await run({ sign });
      expect(xml).toContain('<ds:SignatureValue>…</ds:SignatureValue>');
      expect(xml).not.toMatch(/SignatureValue>[A-Za-z0-9+/]/);
      const { body } = await calls.at('POST', `${TEST}/response`, { clientId: 'c', samlResponse: base64Of(xml) });
      expect(body['isAccepted']).toBe(false);
    },
  );

  test('of many answers at once one counts', async () => {
    await calls.connect(idp);
    const { to } = await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => calls.finish(answerTo(idp, to), to.relayState)));
    expect(answers.filter(({ body }) => body['status'] === 'OK')).toHaveLength(1);
    expect(await kept()).toMatchObject({ claims: 0, assertions: 1 });
  });

  test('of another tenant is neither shown nor answered there', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp);
    await calls.connect(idp, {}, { at: '/t1' });
    const { testId, to } = await start();
    expect((await ask(testId, '/t1')).body).toEqual({ status: 'UNKNOWN_TEST_ERROR' });
    expect(await calls.finish(answerTo(idp, to), to.relayState, { at: '/t1' })).toEqual(UNKNOWN_STATE);
    expect((await show(testId)).state).toBe('waiting');
  });

  test('ends where the client says, or at the page of who asks: nobody names another place', async () => {
    await calls.connect(idp, { redirectURIs: [APP, `${APP}2`], defaultRedirectURI: `${APP}2?x=1#f` });
    for (const more of [{ returnTo: 'https://evil.example.com' }, { redirectURI: 'https://evil.example.com' }]) {
      const { to } = await start(more);
      const { body } = await calls.finish(answerTo(idp, to), to.relayState);
      expect(body['redirectURI']).toMatch(/^https:\/\/app\.example\.com\/callback2\?x=1&error=saml_test&[^#]*#f$/);
    }
  });

  test('does as the legacy callback does', async () => {
    await calls.connect(idp);
    const form = { isForm: true } as const;
    const [good, bad] = [(await start()).to, (await start()).to];
    const path = '/recipe/saml/legacy/callback';
    const done = await calls.core.call('POST', path, { SAMLResponse: answerTo(idp, good), RelayState: good.relayState }, form);
    expect(done).toMatchObject({ status: 302, location: ENDED });
    const refused = await calls.core.call('POST', path, { SAMLResponse: answerTo(stranger, bad), RelayState: bad.relayState }, form);
    expect(refused).toMatchObject({ status: 400, body: { text: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR\n' } });
  });

  test('HTML in what arrives is data', async () => {
    await calls.connect(idp, { metadataXML: base64Of(metadataOf(idp)) });
    const html = '<img src=x onerror=alert(1)>';
    const { response, user } = await run({ nameId: html, attributes: [{ name: html, values: [html] }] });
    expect(response?.assertion).toMatchObject({ nameId: html, attributes: [{ name: html, values: [html] }] });
    expect(user).toMatchObject({ sub: html });
  });
});
