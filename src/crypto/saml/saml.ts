/** What is asked about one SAML response (contract 06 sections 2.5 and 6.1). */
export interface SamlQuestion {
  /** As the browser posted it: base64 of the XML, perhaps wrapped. */
  readonly samlResponse: string;
  /** What the response must prove. Left out, only its readability and its unproven issuer are answered. */
  readonly expected?: SamlExpectation;
}

/** What one client of one tenant demands of a response. */
export interface SamlExpectation {
  /** The signing certificates of the client, base64 DER; any one of them may have signed. */
  readonly certificates: readonly string[];
  readonly idpEntityId: string;
  /** The entity id of the tenant as service provider. */
  readonly audience: string;
  /** The wall clock, ms since the epoch. */
  readonly now: number;
  /** Of NotBefore and NotOnOrAfter, ms. */
  readonly toleranceMs: number;
  /** The assertion consumer service of the login; for a login that the IdP began, the one that is known, if any. */
  readonly acsUrl: string | undefined;
  /** What InResponseTo may say: the id of the AuthnRequest and the relay state; empty where the IdP began. */
  readonly requestIds: readonly string[];
  /** Whether the client allows IdP-initiated login, and therefore answers that name no request. */
  readonly allowsUnsolicited: boolean;
  /** The encryption keys of the tenant, base64 PKCS#8 DER; without any, encrypted assertions are refused. */
  readonly decryptionKeys: readonly string[];
  /** Whether AES-CBC is read where the Response is signed. */
  readonly allowsCbc: boolean;
}

/** What is known about a response afterwards. */
export type SamlAnswer =
  /** Not a SAML response at all: a 400 (contract 06 section 2.5). */
  | { readonly status: 'MALFORMED' }
  /** For a question without `expected`. The issuer is unproven, so it only serves to choose a client. */
  | { readonly status: 'READABLE'; readonly issuer: string | undefined; readonly answersRequest: boolean }
  /** Not accepted. The reason is for the debug log; it holds neither secrets nor values of the response. */
  | { readonly status: 'REFUSED'; readonly reason: string }
  | SamlIdentity;

/** What an accepted response proves; all of it was read from the signed bytes. */
export interface SamlIdentity {
  readonly status: 'OK';
  readonly assertionId: string;
  readonly issuer: string;
  /** Until when the assertion id must be remembered, ms since the epoch (contract 06 section 6.7). */
  readonly keepUntil: number;
  /** Attributes by name, with the subject's `NameID`, `NameIDFormat`. Names come from outside, even `__proto__`. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
}

/** What the metadata of an identity provider says (contract 06 section 2.1). */
export interface IdpMetadata {
  readonly entityId: string;
  /** Where the Redirect binding sends the browser. */
  readonly ssoUrl: string;
  /** All certificates for signing, base64 DER without blanks, in document order; at least one. */
  readonly certificates: readonly string[];
}

/** A key of a service provider with its certificate. */
export interface SpCredential {
  /** Base64 PKCS#8 DER. */
  readonly privateKey: string;
  /** Base64 X.509 DER. */
  readonly certificate: string;
  /** End of the certificate's validity, ms since the epoch. */
  readonly notAfter: number;
}

/** The XML work of SAML, done in the xml lane. A full lane rejects with `LaneFullError`. */
export interface SamlXml {
  /** Reads the metadata of an identity provider from its XML text; undefined for any violation of the rules. */
  readIdpMetadata(metadata: string): Promise<IdpMetadata | undefined>;
  /** Checks the signature and all statements of a response. */
  checkSamlResponse(question: SamlQuestion): Promise<SamlAnswer>;
}
