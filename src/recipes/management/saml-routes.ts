import { type Route, route } from '../route.ts';
import type { ClientFacts } from '../saml/client-facts.ts';
import { serviceFacts } from '../saml/sp-metadata.ts';
import { showTest } from '../saml/show-test.ts';
import { startTest } from '../saml/start-test.ts';
import { tryResponse } from '../saml/try-response.ts';
import { updateClient } from '../saml/update-client.ts';
import { listSamlClients } from './list-saml-clients.ts';
import { nextToken } from './page.ts';

const PATH = '/manage/v1/saml';
const shownClient = (client: ClientFacts) => ({ ...client, certificates: client.certificates.map((facts) => ({ ...facts })) });
const UNKNOWN_CLIENT = { json: { status: 'UNKNOWN_CLIENT_ERROR' } } as const;

/** SAML connections: what they are, without secrets, and why a login by one goes well or not. */
export const SAML_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: `${PATH}/clients`,
    scope: 'tenant',
    needs: 'read',
    input: 'management/list-saml-clients',
    summary: 'The SAML clients of a tenant without their secrets, the oldest first, page by page',
    run: listSamlClients,
    view: ({ items, next }) => ({ json: { status: 'OK', clients: items.map(shownClient), nextPaginationToken: nextToken(next) } }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/clients/update`,
    scope: 'tenant',
    needs: 'tenants',
    input: 'management/update-saml-client',
    tells: ['saml-client.written'],
    summary: 'Change parts of a SAML client; what is left out stays, its secret too',
    run: updateClient,
    view: (updated) => ({ json: updated.status === 'OK' ? { status: 'OK', client: shownClient(updated.client) } : { ...updated } }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/metadata`,
    scope: 'tenant',
    needs: 'read',
    input: 'management/show-saml-service',
    summary: 'What the administrator of an identity provider has to know of a tenant: entity id, ACS URL, certificates, metadata',
    run: serviceFacts,
    view: (facts) =>
      facts ? { json: { status: 'OK', ...facts, certificates: facts.certificates.map((each) => ({ ...each })) } } : UNKNOWN_CLIENT,
  }),
  route({
    method: 'POST',
    path: `${PATH}/test`,
    scope: 'tenant',
    needs: 'tenants',
    input: 'management/start-saml-test',
    tells: ['saml-client.tested'],
    summary: 'Begin a login that lets nobody in, to see what the identity provider answers and whether it is accepted',
    run: startTest,
    view: (started) => ({ json: { ...started } }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/test`,
    scope: 'tenant',
    needs: 'tenants',
    input: 'management/show-saml-test',
    summary: 'How a test of a SAML client stands: what arrived, each check, and what to change',
    run: showTest,
    view: (test) => ({ json: test ? { status: 'OK', test: { ...test } } : { status: 'UNKNOWN_TEST_ERROR' } }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/test/response`,
    scope: 'tenant',
    needs: 'tenants',
    input: 'management/try-saml-response',
    silence: 'reads',
    summary: 'How a SAML response that was captured elsewhere would be checked, without any effect',
    run: tryResponse,
    view: (tried) => ({ json: { ...tried } }),
  }),
];
