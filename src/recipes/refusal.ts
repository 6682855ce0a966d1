/**
 * Every refusal by name, with what its text needs. Recipes name one before they write anything; status and exact text
 * are in the table of the HTTP front (`src/http/refusals.ts`).
 */
export interface Refusals {
  /** Body is not a JSON object. */
  'invalid-json': undefined;
  /** 400: the body holds a number of more characters than are taken. */
  'number-too-long': undefined;
  /** A body field is missing or of the wrong type. */
  'field-invalid': { readonly field: string };
  /** A body field is empty after trimming. */
  'field-empty': { readonly field: string };
  /** A query parameter is missing. */
  'query-missing': { readonly field: string };
  /** A query parameter is not an int / a long. */
  'query-not-int': { readonly field: string };
  'query-not-long': { readonly field: string };
  /** 400 with a text given by the contract for one endpoint. */
  'bad-input': { readonly text: string };
  /** 403 with a text given by the contract for one endpoint. */
  forbidden: { readonly text: string };
  /** 503: what is asked for cannot be done at present. */
  'not-now': { readonly text: string };
  /** 403 for a non-public tenant on an app-specific endpoint. */
  'public-tenant-only': undefined;
  'tenant-not-found': { readonly cud: string; readonly appId: string; readonly tenantId: string };
  /** The same from the endpoints that look for the app alone (text V2 of contract 01 section 2.10). */
  'app-not-found': { readonly cud: string; readonly appId: string };
  /** 400: the path is malformed, or holds what must not stand in one. */
  'path-invalid': undefined;
  /** 400: an escape in the query (or form) is malformed. */
  'query-malformed': undefined;
  /** 400: the host names a connection URI domain that this process does not serve (contract 01 section 2.4). */
  'cud-disallowed': undefined;
  /** 401: no API key, or a wrong one. */
  'invalid-api-key': undefined;
  /** 403: an API key that may do other things. */
  'scope-missing': { readonly scope: string };
  /** 401: no session of an operator, or one that has ended. */
  'signed-out': undefined;
  /** 403: an operator whose role is for other things. */
  'role-missing': { readonly scope: string };
  /** 403 by an IP rule. */
  'ip-refused': undefined;
  /** 400: the three complaints about the `cdi-version` header (contract 01 section 2.9). */
  'version-invalid': undefined;
  'version-not-supported': { readonly version: string };
  'version-too-old': { readonly version: string; readonly minimum: string };
  'method-not-supported': undefined;
  /** 501 for methods that HTTP does not know. */
  'method-unknown': undefined;
  /** 411: the body comes in chunks, where these are not taken. */
  'length-missing': undefined;
  /** 413 */
  'body-too-large': undefined;
  /** 431 */
  'head-too-large': undefined;
  /** 408: the body did not arrive in time. */
  'body-too-slow': undefined;
  /** 505: another version of HTTP than 1.1. */
  'http-version': undefined;
  /** Nobody is there any more to be answered. */
  'connection-lost': undefined;
  /** 400: the head of the request contradicts itself. */
  'head-invalid': undefined;
  /** 404 `Not found`. */
  'not-found': undefined;
  /** 500 with a text given by the contract (firebase hash or legacy SAML without what the operator has to set). */
  'fault-of-caller': { readonly text: string };
}

export type RefusalName = keyof Refusals;

/** Thrown by recipes and by the HTTP front; caught once, in `http/server`. */
export class Refusal<N extends RefusalName = RefusalName> extends Error {
  override readonly name = 'Refusal';
  readonly refusal: N;
  readonly details: Refusals[N];
  constructor(refusal: N, ...details: undefined extends Refusals[N] ? [] : [Refusals[N]]) {
    super(refusal);
    this.refusal = refusal;
    this.details = details[0] as Refusals[N];
  }
}
