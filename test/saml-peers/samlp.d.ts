/** What the tests use of the package, which has no types of its own: middleware in the manner of Express. */
declare module 'samlp' {
  export interface MiddlewareRequest {
    readonly method: string;
    readonly protocol: string;
    readonly originalUrl: string;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly query: Readonly<Record<string, string>>;
  }

  export interface MiddlewareResponse {
    set(name: string, value: string): void;
    send(text: string | number): void;
  }

  export type Middleware = (request: MiddlewareRequest, response: MiddlewareResponse, next: (error: unknown) => void) => void;

  export interface ProfileMapper {
    getClaims(): Readonly<Record<string, unknown>>;
    getNameIdentifier(): { readonly nameIdentifier: string; readonly nameIdentifierFormat: string };
  }

  export interface AuthOptions {
    readonly issuer: string;
    readonly cert: string;
    readonly key: string;
    readonly recipient: string;
    readonly destination: string;
    readonly signResponse: boolean;
    readonly signAssertion: boolean;
    readonly signatureAlgorithm: 'rsa-sha256';
    readonly digestAlgorithm: 'sha256';
    readonly signatureNamespacePrefix: string;
    readonly typedAttributes: boolean;
    readonly lifetimeInSeconds: number;
    readonly authnContextClassRef: string;
    /** Requests must carry a signature of its key. */
    readonly signingCert?: string;
    profileMapper(): ProfileMapper;
    getUserFromRequest(): object;
    getPostURL(audience: string, request: unknown, http: MiddlewareRequest, done: (error: unknown, url?: string) => void): void;
  }

  const samlp: {
    auth(options: AuthOptions): Middleware;
    metadata(options: {
      readonly issuer: string;
      readonly cert: string;
      readonly redirectEndpointPath: string;
      readonly postEndpointPath: string;
    }): Middleware;
  };
  export default samlp;
}
