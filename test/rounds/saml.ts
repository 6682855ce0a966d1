import type { InProcessAnswer, InProcessCore } from '../in-process-core.ts';
import { ACS, answerTo, APP, codeIn, readLogin } from '../recipes/saml/calls.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../saml-idp/idp.ts';
import { postedResponse } from '../saml-idp/response.ts';
import { plain, type Scenario } from './scenario.ts';

const recipe = '/recipe/saml';
const made = makeIdp();
let number = 0;

/** An identity provider with a client of its own, whose id this answers; what it takes does not count. */
async function connected(
  core: InProcessCore,
  app = '',
): Promise<{ readonly idp: TestIdp; readonly clientId: string; readonly body: object }> {
  const clientId = `saml-${(number += 1)}`;
  const idp = { ...(await made), entityId: `https://${clientId}.example.com/` };
  const metadataXML = base64Of(metadataOf(idp));
  const uris = { redirectURIs: [APP], defaultRedirectURI: APP };
  const body = { clientId, clientSecret: 'secret', ...uris, metadataXML, allowIDPInitiatedLogin: true };
  await core.call('PUT', `${app}${recipe}/clients`, body);
  // Makes the key of the tenant where it has none.
  await core.call('GET', `${app}/.well-known/sp-metadata`);
  core.takeRounds();
  return { idp, clientId, body };
}

async function begun(core: InProcessCore) {
  const { idp, clientId } = await connected(core);
  const { body } = await core.call('POST', `${recipe}/login`, { clientId, redirectURI: APP, acsURL: ACS });
  const to = readLogin(String(body['ssoRedirectURI']));
  core.takeRounds();
  return { to, clientId, samlResponse: answerTo(idp, to, { now: core.clock.now }) };
}

async function finished(core: InProcessCore): Promise<{ readonly accessToken: string; readonly clientId: string }> {
  const { to, clientId, samlResponse } = await begun(core);
  const { body } = await core.call('POST', `${recipe}/callback`, { samlResponse, relayState: to.relayState });
  core.takeRounds();
  return { accessToken: codeIn(body), clientId };
}

const put =
  (method: string, path: string): Scenario['play'] =>
  async (core) =>
    core.call(method, path, (await connected(core)).body);
const remove =
  (path: string): Scenario['play'] =>
  async (core) =>
    core.call('POST', path, { clientId: (await connected(core)).clientId });
const login =
  (path: string): Scenario['play'] =>
  async (core) =>
    core.call('POST', path, { clientId: (await connected(core)).clientId, redirectURI: APP, acsURL: ACS });
const user =
  (path: string): Scenario['play'] =>
  async (core) =>
    core.call('POST', path, await finished(core));

/** A redirect counts as success. */
async function redirected(answer: Promise<InProcessAnswer>): Promise<InProcessAnswer> {
  const { location, ...others } = await answer;
  return location === undefined ? others : { ...others, status: 200 };
}

const LEGACY: readonly Scenario[] = [
  {
    endpoint: `GET ${recipe}/legacy/authorize`,
    budget: 2,
    play: async (core) => {
      await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'legacy', coreConfig: { saml_legacy_acs_url: ACS } });
      const { clientId } = await connected(core, '/appid-legacy');
      return redirected(core.call('GET', `/appid-legacy${recipe}/legacy/authorize?client_id=${clientId}&redirect_uri=${APP}`));
    },
  },
  {
    endpoint: `POST ${recipe}/legacy/callback`,
    budget: 3,
    play: async (core) => {
      const { to, samlResponse } = await begun(core);
      const fields = { SAMLResponse: samlResponse, RelayState: to.relayState };
      return redirected(core.call('POST', `${recipe}/legacy/callback`, fields, { isForm: true }));
    },
  },
  {
    endpoint: `POST ${recipe}/legacy/token`,
    budget: 1,
    play: async (core) => {
      const fields = { client_id: (await connected(core)).clientId, client_secret: 'secret', code: 'x' };
      return core.call('POST', `${recipe}/legacy/token`, fields, { isForm: true });
    },
  },
  {
    endpoint: `GET ${recipe}/legacy/userinfo`,
    budget: 1,
    play: async (core) => {
      const { accessToken, clientId } = await finished(core);
      return core.call('GET', `${recipe}/legacy/userinfo`, undefined, { authorization: `Bearer ${accessToken}.${clientId}` });
    },
  },
];

const manage = '/manage/v1/saml';

async function testStarted(core: InProcessCore) {
  const { idp, clientId } = await connected(core);
  const { body } = await core.call('POST', `${manage}/test`, { clientId, acsURL: ACS });
  core.takeRounds();
  const to = readLogin(String(body['url']));
  return { to, testId: String(body['testId']), samlResponse: answerTo(idp, to, { now: core.clock.now }) };
}

const MANAGED: readonly Scenario[] = [
  plain(1, `GET ${manage}/clients?limit=1`),
  {
    endpoint: `POST ${manage}/clients/update`,
    budget: 2,
    play: async (core) =>
      core.call('POST', `${manage}/clients/update`, { clientId: (await connected(core)).clientId, enableRequestSigning: false }),
  },
  {
    endpoint: `GET ${manage}/metadata`,
    budget: 2,
    play: async (core) => core.call('GET', `${manage}/metadata?clientId=${(await connected(core)).clientId}&acsURL=${ACS}`),
  },
  {
    endpoint: `POST ${manage}/test`,
    budget: 4,
    play: async (core) => core.call('POST', `${manage}/test`, { clientId: (await connected(core)).clientId, acsURL: ACS }),
  },
  {
    endpoint: `GET ${manage}/test`,
    budget: 1,
    play: async (core) => {
      const { to, testId, samlResponse } = await testStarted(core);
      await core.call('POST', `${recipe}/callback`, { samlResponse, relayState: to.relayState });
      core.takeRounds();
      return core.call('GET', `${manage}/test?testId=${testId}`);
    },
  },
  {
    endpoint: `POST ${recipe}/callback of a test`,
    budget: 5,
    play: async (core) => {
      const { to, samlResponse } = await testStarted(core);
      return core.call('POST', `${recipe}/callback`, { samlResponse, relayState: to.relayState });
    },
  },
  {
    endpoint: `POST ${manage}/test/response`,
    budget: 1,
    play: async (core) => {
      const { idp, clientId } = await connected(core);
      const samlResponse = postedResponse(idp, { now: core.clock.now });
      return core.call('POST', `${manage}/test/response`, { clientId, samlResponse });
    },
  },
];

/** The endpoints of SAML. */
export const SAML_ROUNDS: readonly Scenario[] = [
  { endpoint: `PUT ${recipe}/clients`, budget: 2, play: put('PUT', `${recipe}/clients`) },
  { endpoint: `POST ${recipe}/client`, budget: 2, play: put('POST', `${recipe}/client`) },
  plain(1, `GET ${recipe}/clients/list`),
  plain(1, `GET ${recipe}/clients`),
  { endpoint: `POST ${recipe}/clients/remove`, budget: 1, play: remove(`${recipe}/clients/remove`) },
  { endpoint: `POST ${recipe}/client/remove`, budget: 1, play: remove(`${recipe}/client/remove`) },
  { endpoint: `POST ${recipe}/login`, budget: 2, play: login(`${recipe}/login`) },
  { endpoint: `POST ${recipe}/authorize`, budget: 2, play: login(`${recipe}/authorize`) },
  {
    endpoint: `POST ${recipe}/callback`,
    budget: 3,
    play: async (core) => {
      const { to, samlResponse } = await begun(core);
      return core.call('POST', `${recipe}/callback`, { samlResponse, relayState: to.relayState });
    },
  },
  {
    endpoint: `POST ${recipe}/callback begun by the identity provider`,
    budget: 2,
    play: async (core) => {
      const { idp } = await connected(core);
      return core.call('POST', `${recipe}/callback`, { samlResponse: postedResponse(idp, { now: core.clock.now }) });
    },
  },
  { endpoint: `POST ${recipe}/user`, budget: 1, play: user(`${recipe}/user`) },
  { endpoint: `POST ${recipe}/userinfo`, budget: 1, play: user(`${recipe}/userinfo`) },
  plain(1, 'GET /.well-known/sp-metadata'),
  plain(1, `GET ${recipe}/metadata`),
  ...LEGACY,
  ...MANAGED,
];
