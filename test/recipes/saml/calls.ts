import { expect } from 'vitest';
import { inflateRawSync } from 'node:zlib';
import type { InProcessAnswer, InProcessCallOptions, InProcessCore } from '../../in-process-core.ts';
import { base64Of, metadataOf, type TestIdp } from '../../saml-idp/idp.ts';
import { postedResponse, type ResponseOptions } from '../../saml-idp/response.ts';
import { checkedCall } from '../checked-answers.ts';

export const APP = 'https://app.example.com/callback';
export const ACS = 'https://app.example.com/acs';
/** The entity id of the service provider where none is configured. */
export const SERVICE = 'https://saml.supertokens.com';

type Options = InProcessCallOptions & { readonly at?: string };
type Body = InProcessAnswer['body'];

/** What a URL of the Redirect binding asks of the identity provider. */
export interface AskedLogin {
  readonly requestId: string;
  readonly relayState: string;
  readonly acsUrl: string;
  readonly ssoUrl: string;
  /** The AuthnRequest. */
  readonly xml: string;
}

/** Takes the URL apart that a login answers. */
export function readLogin(ssoRedirectUri: string): AskedLogin {
  const [ssoUrl = '', query = ''] = ssoRedirectUri.split(/[?&](?=SAMLRequest=)/);
  const parameters = new URLSearchParams(query);
  const xml = inflateRawSync(Buffer.from(parameters.get('SAMLRequest') ?? '', 'base64'), { maxOutputLength: 65_536 }).toString();
  const attribute = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const relayState = parameters.get('RelayState') ?? '';
  return { requestId: attribute('ID'), relayState, acsUrl: attribute('AssertionConsumerServiceURL'), ssoUrl, xml };
}

/** The response of an identity provider to a login, as a browser posts it. */
export function answerTo(idp: TestIdp, to: AskedLogin, more: ResponseOptions = {}): string {
  return postedResponse(idp, { acsUrl: to.acsUrl, inResponseTo: to.requestId, ...more });
}

/** The calls that tests of this recipe make; every answer is held against its schema. */
export class SamlCalls {
  readonly core: InProcessCore;

  constructor(core: InProcessCore) {
    this.core = core;
  }

  at(method: string, path: string, body?: object, { at = '', ...options }: Options = {}): Promise<InProcessAnswer> {
    return checkedCall(this.core, method, `${at}${path}`, body, options);
  }

  /** Writes the client `c` of an identity provider, without signed requests. */
  put(idp: TestIdp, more: object = {}, options?: Options): Promise<InProcessAnswer> {
    const metadataXML = base64Of(metadataOf(idp));
    const body = { clientId: 'c', redirectURIs: [APP], defaultRedirectURI: APP, metadataXML, enableRequestSigning: false, ...more };
    return this.at('PUT', '/recipe/saml/clients', body, options);
  }

  /** The same, where it must work. */
  async connect(idp: TestIdp, more: object = {}, options?: Options): Promise<Body> {
    const answer = await this.put(idp, more, options);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { status: 'OK' } });
    return answer.body;
  }

  begin(more: object = {}, options?: Options): Promise<InProcessAnswer> {
    return this.at('POST', '/recipe/saml/login', { clientId: 'c', redirectURI: APP, acsURL: ACS, state: 's', ...more }, options);
  }

  /** A login as the identity provider reads it. */
  async asked(more: object = {}, options?: Options): Promise<AskedLogin> {
    const { body } = await this.begin(more, options);
    if (body['status'] !== 'OK') throw new Error(`login: ${JSON.stringify(body)}`);
    return readLogin(String(body['ssoRedirectURI']));
  }

  finish(samlResponse: string, relayState?: string, options?: Options): Promise<InProcessAnswer> {
    return this.at('POST', '/recipe/saml/callback', { samlResponse, relayState }, options);
  }

  /** Answers a new login; what the callback says. */
  async enter(idp: TestIdp, said: ResponseOptions = {}, options?: Options): Promise<Body> {
    const to = await this.asked({}, options);
    return (await this.finish(answerTo(idp, to, { now: this.core.clock.now, ...said }), to.relayState, options)).body;
  }

  /** A whole login; answers its code. */
  async code(idp: TestIdp, said?: ResponseOptions, options?: Options): Promise<string> {
    return codeIn(await this.enter(idp, said, options));
  }

  async user(accessToken: string, clientId = 'c', options?: Options): Promise<Body> {
    return (await this.at('POST', '/recipe/saml/user', { accessToken, clientId }, options)).body;
  }

  async addTenant(tenantId: string, coreConfig: object = {}): Promise<void> {
    const { body } = await this.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId, coreConfig });
    if (body['status'] !== 'OK') throw new Error(JSON.stringify(body));
  }
}

/** The code in the answer of a callback. @throws where the login failed */
export function codeIn(body: Body): string {
  const code = body['status'] === 'OK' ? new URL(String(body['redirectURI'])).searchParams.get('code') : null;
  if (code === null) throw new Error(`callback: ${JSON.stringify(body)}`);
  return code;
}
