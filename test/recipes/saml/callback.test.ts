import { beforeEach, describe, expect, test } from 'vitest';
import { samlClaims, samlRelayStates, samlUsedAssertions } from '../../../src/recipes/saml/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../../saml-idp/idp.ts';
import { newId, postedResponse } from '../../saml-idp/response.ts';
import { answerTo, APP, codeIn, SamlCalls } from './calls.ts';

const MALFORMED = { status: 400, body: { text: 'Invalid or malformed SAML response input\n' } };
const ok = (redirectURI: unknown) => ({ status: 200, body: { status: 'OK', redirectURI } });
const status = (text: string) => ({ status: 200, body: { status: text } });
const FAILED = status('SAML_RESPONSE_VERIFICATION_FAILED_ERROR');
const UNKNOWN_STATE = status('INVALID_RELAY_STATE_ERROR');
const NO_CLIENT = status('INVALID_CLIENT_ERROR');
const DISALLOWED = status('IDP_LOGIN_DISALLOWED_ERROR');

let idp: TestIdp;
let stranger: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  stranger ??= await makeIdp();
  calls = new SamlCalls(await openInProcessCore('5.4'));
});

const remove = () => calls.at('POST', '/recipe/saml/clients/remove', { clientId: 'c' });
const kept = async () => {
  const { store } = calls.core.services;
  const range = { prefix: [], limit: 100 } as const;
  const [relayStates, claims, assertions] = await store.read((reader) =>
    Promise.all([
      reader.keys(samlRelayStates, undefined, range),
      reader.keys(samlClaims, undefined, range),
      reader.keys(samlUsedAssertions, undefined, range),
    ]),
  );
  return { relayStates: relayStates.length, claims: claims.length, assertions: assertions.length };
};

describe('a login that the application began', () => {
  test('ends at its redirect URI with a code and its state, once', async () => {
    await calls.connect(idp);
    const to = await calls.asked();
    const response = answerTo(idp, to);
    const { body, ...done } = await calls.finish(response, to.relayState);
    expect(done.status).toBe(200);
    expect(body['redirectURI']).toMatch(
      /^https:\/\/app\.example\.com\/callback\?code=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}&state=s$/,
    );
    expect(await kept()).toEqual({ relayStates: 0, claims: 1, assertions: 1 });
    expect(await calls.finish(response, to.relayState)).toEqual(UNKNOWN_STATE);
    expect(await calls.finish(answerTo(idp, to), to.relayState)).toEqual(UNKNOWN_STATE);
  });

  test('may be answered in the name of its relay state, with both parts signed, and by any certificate of the metadata', async () => {
    const certificates = [stranger, idp].map(({ certificate }) => ({ certificate, use: 'signing' }));
    await calls.connect(idp, { metadataXML: base64Of(metadataOf(idp, { certificates })) });
    for (const sign of ['assertion', 'response', 'both'] as const) {
      const to = await calls.asked();
      expect(await calls.finish(answerTo(idp, to, { sign, inResponseTo: to.relayState }), to.relayState)).toEqual(ok(expect.any(String)));
    }
    expect(await calls.enter({ ...stranger, entityId: idp.entityId })).toMatchObject({ status: 'OK' });
  });

  test('keeps its relay state where the answer does not hold', async () => {
    await calls.connect(idp);
    const to = await calls.asked();
    for (const wrong of [
      answerTo(stranger, to),
      answerTo(idp, to, { sign: 'none' }),
      answerTo(idp, to, { audiences: ['https://other.example.com'] }),
    ]) {
      expect(await calls.finish(wrong, to.relayState)).toEqual(FAILED);
    }
    expect(await kept()).toEqual({ relayStates: 1, claims: 0, assertions: 0 });
    expect(await calls.finish(answerTo(idp, to), to.relayState)).toEqual(ok(expect.any(String)));
  });

  test('has one end, however many answers come at once', async () => {
    await calls.connect(idp);
    const to = await calls.asked();
    const answers = await Promise.all(Array.from({ length: 8 }, () => calls.finish(answerTo(idp, to), to.relayState)));
    expect(answers.filter(({ body }) => body['status'] === 'OK')).toHaveLength(1);
    expect(answers.filter(({ body }) => body['status'] === 'INVALID_RELAY_STATE_ERROR')).toHaveLength(7);
    expect(await kept()).toEqual({ relayStates: 0, claims: 1, assertions: 1 });
  });

  test('takes an assertion once, also where another login would take it', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const assertionId = newId();
    const [one, two] = [await calls.asked(), await calls.asked()];
    expect(await calls.finish(answerTo(idp, one, { assertionId }), one.relayState)).toEqual(ok(expect.any(String)));
    expect(await calls.finish(answerTo(idp, two, { assertionId }), two.relayState)).toEqual(FAILED);
    expect(await calls.finish(postedResponse(idp, { assertionId }))).toEqual(FAILED);
    expect(await calls.finish(answerTo(idp, two), two.relayState)).toEqual(ok(expect.any(String)));
  });

  test('lives as long as the tenant says, to the millisecond', async () => {
    await calls.addTenant('t1', { saml_relay_state_validity: 2000 });
    const at = '/t1';
    await calls.connect(idp, {}, { at });
    const { clock } = calls.core;
    const [early, late] = [await calls.asked({}, { at }), await calls.asked({}, { at })];
    clock.now += 2000;
    expect(await calls.finish(answerTo(idp, early, { now: clock.now }), early.relayState, { at })).toEqual(ok(expect.any(String)));
    clock.now += 1;
    expect(await calls.finish(answerTo(idp, late, { now: clock.now }), late.relayState, { at })).toEqual(UNKNOWN_STATE);
  });

  test('without a state has none at its end', async () => {
    await calls.connect(idp, { redirectURIs: [APP, `${APP}?x=1#f`] });
    const to = await calls.asked({ state: undefined, redirectURI: `${APP}?x=1#f` });
    const { body } = await calls.finish(answerTo(idp, to), to.relayState);
    expect(body['redirectURI']).toMatch(/\?x=1&code=[0-9a-f-]{36}#f$/);
  });

  test('belongs to its tenant', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp);
    await calls.connect(idp, {}, { at: '/t1' });
    const to = await calls.asked();
    expect(await calls.finish(answerTo(idp, to), to.relayState, { at: '/t1' })).toEqual(UNKNOWN_STATE);
    expect(await calls.finish(answerTo(idp, to), to.relayState)).toEqual(ok(expect.any(String)));
  });

  test('is not ended by the identity provider of another client', async () => {
    const other = { ...stranger, entityId: 'https://other.example.com/' };
    await calls.connect(idp);
    await calls.connect(other, { clientId: 'd' });
    const to = await calls.asked();
    expect(await calls.finish(answerTo(other, to), to.relayState)).toEqual(FAILED);
    expect(await calls.finish(answerTo({ ...other, entityId: idp.entityId }, to), to.relayState)).toEqual(FAILED);
  });

  test('has the audience of its tenant', async () => {
    const at = '/t1';
    await calls.addTenant('t1', { saml_sp_entity_id: 'https://sp.example.com' });
    await calls.connect(idp, {}, { at });
    expect(await calls.enter(idp, {}, { at })).toEqual(FAILED.body);
    expect(await calls.enter(idp, { audiences: ['https://sp.example.com'] }, { at })).toMatchObject({ status: 'OK' });
  });

  test('forgives clocks as much as the tenant says', async () => {
    await calls.addTenant('strict', { saml_time_tolerance_ms: 0 });
    await calls.connect(idp);
    await calls.connect(idp, {}, { at: '/strict' });
    expect(await calls.enter(idp, { notBefore: 59 })).toMatchObject({ status: 'OK' });
    expect(await calls.enter(idp, { notBefore: 61 })).toEqual(FAILED.body);
    expect(await calls.enter(idp, { notBefore: 0 }, { at: '/strict' })).toMatchObject({ status: 'OK' });
    expect(await calls.enter(idp, { notBefore: 1 }, { at: '/strict' })).toEqual(FAILED.body);
  });
});

describe('a client that changes in between', () => {
  test('and is removed ends the login', async () => {
    await calls.connect(idp);
    const to = await calls.asked();
    await remove();
    expect(await calls.finish(answerTo(idp, to), to.relayState)).toEqual(NO_CLIENT);
    await calls.connect(idp);
    expect(await calls.finish(answerTo(idp, to), to.relayState)).toEqual(ok(expect.any(String)));
  });

  test('and is removed or gets another key while the answer is checked, is not trusted any more', async () => {
    await calls.connect(idp);
    const { crypto } = calls.core.services;
    const original = crypto.checkSamlResponse.bind(crypto);
    const during = async (change: () => Promise<unknown>) => {
      const to = await calls.asked();
      crypto.checkSamlResponse = async (question) => {
        const answer = await original(question);
        crypto.checkSamlResponse = original;
        await change();
        return answer;
      };
      return calls.finish(answerTo(idp, to), to.relayState);
    };
    const rekeyed = base64Of(metadataOf({ ...stranger, entityId: idp.entityId }));
    expect(await during(() => calls.connect(idp, { metadataXML: rekeyed }))).toEqual(FAILED);
    await calls.connect(idp);
    expect(await during(() => calls.connect(idp, { clientSecret: 'new' }))).toEqual(ok(expect.any(String)));
    expect(await during(remove)).toEqual(NO_CLIENT);
  });
});

describe('a login that the identity provider began', () => {
  test('ends at the default redirect URI where the client allows it', async () => {
    const defaultRedirectURI = 'https://app.example.com/start?x=1';
    await calls.connect(idp, { allowIDPInitiatedLogin: true, defaultRedirectURI });
    const response = postedResponse(idp);
    expect(await calls.finish(response)).toEqual(ok(expect.stringMatching(/^https:\/\/app\.example\.com\/start\?x=1&code=[0-9a-f-]{36}$/)));
    expect(await calls.finish(response)).toEqual(FAILED);
    expect(await calls.finish(postedResponse(idp), '')).toEqual(ok(expect.any(String)));
  });

  test('works once, however often the answer is sent at once', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const response = postedResponse(idp);
    const answers = await Promise.all(Array.from({ length: 8 }, () => calls.finish(response)));
    expect(answers.filter(({ body }) => body['status'] === 'OK')).toHaveLength(1);
    expect(await kept()).toEqual({ relayStates: 0, claims: 1, assertions: 1 });
  });

  test('may bring a relay state that is none of ours, which means nothing', async () => {
    const defaultRedirectURI = 'https://app.example.com/start';
    await calls.connect(idp, { allowIDPInitiatedLogin: true, defaultRedirectURI });
    for (const foreign of ['https://app.example.com/page?a=1', 'token', '00000000-0000-4000-8000-00000000000', ' ', 'x'.repeat(2000)]) {
      const { body } = await calls.finish(postedResponse(idp), foreign);
      expect(body['redirectURI']).toMatch(/^https:\/\/app\.example\.com\/start\?code=[0-9a-f-]{36}$/);
    }
    const response = postedResponse(idp);
    expect(await calls.finish(response, 'token')).toEqual(ok(expect.any(String)));
    expect(await calls.finish(response, 'token')).toEqual(FAILED);
    expect(await calls.finish(postedResponse(stranger), 'token')).toEqual(FAILED);
  });

  test('may bring none of ours that was used, has expired or was never given', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const [used, expired] = [await calls.asked(), await calls.asked()];
    expect(await calls.finish(answerTo(idp, used), used.relayState)).toEqual(ok(expect.any(String)));
    calls.core.clock.now += 900_001;
    const { now } = calls.core.clock;
    for (const relayState of [
      used.relayState,
      expired.relayState,
      expired.relayState.toUpperCase(),
      '00000000-0000-4000-8000-000000000000',
    ]) {
      expect(await calls.finish(postedResponse(idp, { now }), relayState)).toEqual(UNKNOWN_STATE);
    }
    expect(await kept()).toEqual({ relayStates: 1, claims: 1, assertions: 1 });
  });

  test('with a foreign relay state answers no request, and comes where it is allowed from an issuer that is known', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const to = await calls.asked();
    const inAssertionOnly = answerTo(idp, to, { rewrite: (xml) => xml.replace(/(<samlp:Response[^>]*) InResponseTo="[^"]*"/, '$1') });
    expect(await calls.finish(answerTo(idp, to), 'token')).toEqual(UNKNOWN_STATE);
    expect(await calls.finish(inAssertionOnly, 'token')).toEqual(FAILED);
    expect(await calls.finish(postedResponse(stranger, { issuer: 'https://nobody.example.com/' }), 'token')).toEqual(UNKNOWN_STATE);
    await calls.connect(idp, { allowIDPInitiatedLogin: false });
    expect(await calls.finish(postedResponse(idp), 'token')).toEqual(UNKNOWN_STATE);
    expect(await kept()).toEqual({ relayStates: 1, claims: 0, assertions: 0 });
  });

  test('is addressed to the assertion consumer service, where the tenant names one', async () => {
    const at = '/t1';
    await calls.addTenant('t1', { saml_sp_acs_url: 'https://app.example.com/acs' });
    await calls.connect(idp, { allowIDPInitiatedLogin: true }, { at });
    const sent = (acsUrl: string, more: object = {}) => calls.finish(postedResponse(idp, { acsUrl, ...more }), undefined, { at });
    expect(await sent('https://app.example.com/acs')).toEqual(ok(expect.any(String)));
    expect(await sent('https://elsewhere.example.com/acs')).toEqual(FAILED);
    expect(await sent('https://elsewhere.example.com/acs', { destination: 'https://app.example.com/acs' })).toEqual(FAILED);
    expect(await sent('https://app.example.com/acs', { destination: 'https://elsewhere.example.com/acs' })).toEqual(FAILED);
    // A login that was begun with another address is answered there.
    const to = await calls.asked({ acsURL: 'https://second.example.com/acs' }, { at });
    expect(await calls.finish(answerTo(idp, to), to.relayState, { at })).toEqual(ok(expect.any(String)));
  });

  test('is refused elsewhere, before anybody looks at the signature', async () => {
    await calls.connect(idp);
    expect(await calls.finish(postedResponse(idp))).toEqual(DISALLOWED);
    expect(await calls.finish(postedResponse(idp, { sign: 'none' }), '')).toEqual(DISALLOWED);
  });

  test('needs an issuer that the tenant knows', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp, { allowIDPInitiatedLogin: true }, { at: '/t1' });
    expect(await calls.finish(postedResponse(idp))).toEqual(NO_CLIENT);
    expect(await calls.finish(postedResponse(stranger, { issuer: 'https://nobody.example.com/' }), undefined, { at: '/t1' })).toEqual(
      NO_CLIENT,
    );
    expect(await calls.finish(base64Of('<p:Response xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol"/>'), undefined, { at: '/t1' })).toEqual(
      NO_CLIENT,
    );
  });

  test('is not one that was stolen from the application', async () => {
    await calls.connect(idp, { allowIDPInitiatedLogin: true });
    const to = await calls.asked();
    expect(await calls.finish(answerTo(idp, to))).toEqual(FAILED);
    expect(await calls.finish(answerTo(stranger, to, { inResponseTo: undefined }))).toEqual(FAILED);
  });
});

describe('what is no SAML response', () => {
  test.each([
    ['nothing', ''],
    ['text', base64Of('hello')],
    ['no base64', '<a/>'],
    ['another document', base64Of('<a/>')],
    ['two documents', base64Of('<a/><b/>')],
    ['a document type', base64Of('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')],
  ])('such as %s is complained about before relay state and client', async (_, samlResponse) => {
    await calls.connect(idp);
    const to = await calls.asked();
    expect(await calls.finish(samlResponse)).toEqual(MALFORMED);
    expect(await calls.finish(samlResponse, 'unknown')).toEqual(MALFORMED);
    expect(await calls.finish(samlResponse, to.relayState)).toEqual(MALFORMED);
    await remove();
    expect(await calls.finish(samlResponse, to.relayState)).toEqual(MALFORMED);
  });

  test('in the fields is named', async () => {
    const text = (field: string) => `Field name '${field}' is invalid in JSON input\n`;
    for (const samlResponse of [undefined, null, 1]) {
      expect((await calls.at('POST', '/recipe/saml/callback', { samlResponse })).body['text']).toBe(text('samlResponse'));
    }
    for (const relayState of [null, 1]) {
      expect((await calls.at('POST', '/recipe/saml/callback', { samlResponse: '', relayState })).body['text']).toBe(text('relayState'));
    }
  });
});

test('the reason of a refusal is told to the log alone', async () => {
  await calls.connect(idp);
  const lines: object[] = [];
  Object.assign(calls.core.services, { debug: (fields: object, text: string) => lines.push({ ...fields, text }) });
  expect(await calls.enter(idp, { audiences: ['https://other.example.com'] })).toEqual(FAILED.body);
  expect(lines).toEqual([{ app: 'public', tenant: 'public', reason: expect.any(String), text: 'a SAML response was refused' }]);
  expect(JSON.stringify(lines)).not.toContain('other.example.com');
  expect(codeIn(await calls.enter(idp))).toMatch(/./);
  expect(lines).toHaveLength(1);
});

test('a replay leaves its line in the log, without what was sent', async () => {
  await calls.connect(idp, { allowIDPInitiatedLogin: true });
  const lines: object[] = [];
  Object.assign(calls.core.services, { debug: (fields: object, text: string) => lines.push({ ...fields, text }) });
  const assertionId = newId();
  expect(await calls.finish(postedResponse(idp, { assertionId }))).toEqual(ok(expect.any(String)));
  expect(await calls.finish(postedResponse(idp, { assertionId }))).toEqual(FAILED);
  expect(lines).toEqual([
    { app: 'public', tenant: 'public', reason: 'the Assertion was used before', text: 'a SAML response was refused' },
  ]);
});
