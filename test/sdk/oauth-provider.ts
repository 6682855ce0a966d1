import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the provider tells of an account. */
export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

/** An OAuth 2.0 provider on the loopback interface: authorisation codes with PKCE (RFC 6749 section 4.1, RFC 7636), and a userinfo endpoint. */
export interface OAuthProvider {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who is signed in there and consents. */
  account: Account;
  close(): Promise<void>;
}

interface Grant {
  readonly account: Account;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** How the SDK is told of the provider, under the third-party id `custom`. */
export const providerConfig = ({ url, clientId, clientSecret }: OAuthProvider) => ({
  thirdPartyId: 'custom',
  name: 'Custom',
  authorizationEndpoint: `${url}/authorize`,
  tokenEndpoint: `${url}/token`,
  userInfoEndpoint: `${url}/userinfo`,
  clients: [{ clientId, clientSecret, forcePKCE: true, scope: ['profile'] }],
});

export async function startOAuthProvider(): Promise<OAuthProvider> {
  const credentials = { clientId: 'client-1', clientSecret: 'secret-1' };
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Account>();
  const provider = { ...credentials, account: { sub: 'nobody' } as Account };

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const redirectUri = query.get('redirect_uri') ?? '';
    const isSound = query.get('client_id') === credentials.clientId && query.get('code_challenge_method') === 'S256';
    if (!isSound || query.get('response_type') !== 'code') return answer(response, 400, { error: 'invalid_request' });
    const code = randomUUID();
    grants.set(code, { account: provider.account, redirectUri, challenge: query.get('code_challenge') ?? '' });
    response.writeHead(302, { location: `${redirectUri}?code=${code}` }).end();
  };

  const token = (form: URLSearchParams, response: ServerResponse): void => {
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === credentials.clientId && form.get('client_secret') === credentials.clientSecret;
    if (!grant || !isClient || grant.redirectUri !== form.get('redirect_uri') || grant.challenge !== challenge) {
      return answer(response, 400, { error: 'invalid_grant' });
    }
    const accessToken = randomUUID();
    tokens.set(accessToken, grant.account);
    answer(response, 200, { access_token: accessToken, token_type: 'bearer' });
  };

  const userinfo = (request: IncomingMessage, response: ServerResponse): void => {
    const account = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    answer(response, account ? 200 : 401, account ?? { error: 'invalid_token' });
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider');
    if (pathname === '/authorize') authorize(searchParams, response);
    else if (pathname === '/userinfo') userinfo(request, response);
    else if (pathname === '/token') void readForm(request).then((form) => token(form, response));
    else answer(response, 404, {});
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return Object.assign(provider, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  });
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
