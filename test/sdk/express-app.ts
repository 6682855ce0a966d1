import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request, type Response } from 'express';

/** The published SDK, as an application loads it (it is a CommonJS package whose parts are singletons of the process). */
const load = createRequire(import.meta.url);
export const SuperTokens: typeof import('supertokens-node') = load('supertokens-node');
export const AccountLinking: typeof import('supertokens-node/recipe/accountlinking/index.js') = load(
  'supertokens-node/recipe/accountlinking',
);
export const EmailPassword: typeof import('supertokens-node/recipe/emailpassword/index.js') = load('supertokens-node/recipe/emailpassword');
export const EmailVerification: typeof import('supertokens-node/recipe/emailverification/index.js') = load(
  'supertokens-node/recipe/emailverification',
);
export const Passwordless: typeof import('supertokens-node/recipe/passwordless/index.js') = load('supertokens-node/recipe/passwordless');
export const Totp: typeof import('supertokens-node/recipe/totp/index.js') = load('supertokens-node/recipe/totp');
export const MultiFactorAuth: typeof import('supertokens-node/recipe/multifactorauth/index.js') = load(
  'supertokens-node/recipe/multifactorauth',
);
export const Dashboard: typeof import('supertokens-node/recipe/dashboard/index.js') = load('supertokens-node/recipe/dashboard');
export const ThirdParty: typeof import('supertokens-node/recipe/thirdparty/index.js') = load('supertokens-node/recipe/thirdparty');
export const Saml: typeof import('supertokens-node/recipe/saml/index.js') = load('supertokens-node/recipe/saml');
export const WebAuthn: typeof import('supertokens-node/recipe/webauthn/index.js') = load('supertokens-node/recipe/webauthn');
export const Session: typeof import('supertokens-node/recipe/session/index.js') = load('supertokens-node/recipe/session');
const { middleware, errorHandler }: typeof import('supertokens-node/framework/express/index.js') = load(
  'supertokens-node/framework/express',
);
const { verifySession }: typeof import('supertokens-node/recipe/session/framework/express/index.js') = load(
  'supertokens-node/recipe/session/framework/express',
);

type SessionConfig = Parameters<typeof Session.init>[0];
type Recipes = Parameters<typeof SuperTokens.init>[0]['recipeList'];
type WithSession = Request & { readonly session?: import('supertokens-node/recipe/session/index.js').SessionContainer };

/** The links of the password reset mails that were sent, oldest first. */
export const resetLinks: URL[] = [];
const sendEmail = async ({ passwordResetLink }: { readonly passwordResetLink: string }): Promise<void> => {
  resetLinks.push(new URL(passwordResetLink));
};

type Interceptor = NonNullable<NonNullable<Parameters<typeof SuperTokens.init>[0]['supertokens']>['networkInterceptor']>;

/** Tells the core where the end user is, as docs/operations.md advises; the core reads it only where it is configured to. */
const withUserAddress: Interceptor = (request, userContext) => {
  const address: unknown = SuperTokens.getRequestFromUserContext(userContext)?.original.ip;
  return typeof address === 'string' ? { ...request, headers: { ...request.headers, 'x-user-address': address } } : request;
};

/** A web application with its users in the core: sign-up, sign-in and sign-out by the SDK, and a few protected routes of its own. */
export interface ExpressApp {
  readonly url: string;
  close(): Promise<void>;
}

/** Sets the SDK up (once per process), with `more` recipes where a test needs them, and serves the application on a free port. */
export async function startApp(coreUrl: string, sessionConfig?: SessionConfig, more: Recipes = [], apiKey?: string): Promise<ExpressApp> {
  SuperTokens.init({
    framework: 'express',
    supertokens: { connectionURI: coreUrl, networkInterceptor: withUserAddress, ...(apiKey !== undefined && { apiKey }) },
    appInfo: { appName: 'Test application', apiDomain: 'http://127.0.0.1:3001', websiteDomain: 'http://127.0.0.1:3000' },
    recipeList: [EmailPassword.init({ emailDelivery: { service: { sendEmail } } }), Session.init(sessionConfig), ...more],
  });
  const app = express();
  // Tests are the proxy that says who asks.
  app.set('trust proxy', true);
  app.use(middleware());
  addRoutes(app);
  app.use(errorHandler());
  const server = await new Promise<Server>((done) => {
    const listening = app.listen(0, '127.0.0.1', () => done(listening));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
    },
  };
}

function addRoutes(app: Express): void {
  const whoAmI = (request: WithSession, response: Response): void => {
    const { session } = request;
    response.json({
      userId: session?.getUserId(),
      handle: session?.getHandle(),
      tenantId: session?.getTenantId(),
      claims: session?.getAccessTokenPayload(),
    });
  };
  app.get('/me', verifySession(), whoAmI);
  app.get('/me/checked', verifySession({ checkDatabase: true }), whoAmI);
  app.get('/me/if-any', verifySession({ sessionRequired: false }), whoAmI);
  app.post('/claims', verifySession(), express.json(), async (request: WithSession, response) => {
    await request.session?.mergeIntoAccessTokenPayload(request.body as Record<string, string>);
    response.json({ claims: request.session?.getAccessTokenPayload() });
  });
  app.post('/revoke', verifySession(), async (request: WithSession, response) => {
    await request.session?.revokeSession();
    response.json({ revoked: true });
  });
}
