/** What is asked about one SAML response (contract 06 sections 2.5 and 6.1). */
export interface SamlQuestion {
  /** As the browser posted it: base64 of the XML, perhaps wrapped. */
  readonly samlResponse: string;
  /** What the response must prove. Left out, only its readability and its unproven issuer are answered. */
  readonly expected?: SamlExpectation;
  /** Has the answer tell how each check ended and what arrived. */
  readonly explains?: boolean;
}

/** The checks of a response, in the order in which people read them. */
export const SAML_CHECKS = [
  'response',
  'form',
  'decryption',
  'signature',
  'status',
  'issuer',
  'issued',
  'destination',
  'request',
  'subject',
  'validity',
  'audience',
  'session',
  'name',
] as const;

export type SamlCheck = (typeof SAML_CHECKS)[number];

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

/** What is known about a response afterwards; the report where the question `explains`. */
export type SamlAnswer = SamlVerdict & { readonly report?: SamlReport };

export type SamlVerdict =
  /** Not a SAML response at all: a 400 (contract 06 section 2.5). */
  | { readonly status: 'MALFORMED' }
  /** For a question without `expected`. The issuer is unproven, so it only serves to choose a client. */
  | { readonly status: 'READABLE'; readonly issuer: string | undefined; readonly inResponseTo: string | undefined }
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

/** How one check ended; those that were not reached have no outcome. */
export interface CheckOutcome {
  readonly check: SamlCheck;
  /** Why it does not hold; undefined where it does. */
  readonly fault: string | undefined;
}

/** What a response was and how it was checked, for operators who try a connection. */
export interface SamlReport {
  readonly outcomes: readonly CheckOutcome[];
  /** The XML as it came, but for the values of signatures and ciphers: nobody can present it again. */
  readonly xml: string | undefined;
  /** Undefined for what is no response. */
  readonly arrived: ArrivedResponse | undefined;
}

/** A signature as it stands in a document. */
export type ArrivedSignature = {
  /** The local name of what it signs. */
  readonly of: string;
  readonly method: string | undefined;
  readonly digest: string | undefined;
  /** SHA-256 of the certificate that it names, which is never believed: hex. */
  readonly certificate: string | undefined;
};

/** What a response says, believed or not. Texts are shown as they stand there; absent ones are undefined. */
export type ArrivedResponse = {
  /** Whether it was read from signed bytes. */
  readonly isProven: boolean;
  readonly isEncrypted: boolean;
  readonly signatures: readonly ArrivedSignature[];
  /** SHA-256 of the client's certificate whose key made the signature that counts: hex. */
  readonly signedBy: string | undefined;
  readonly status: string | undefined;
  readonly statusMessage: string | undefined;
  readonly issuer: string | undefined;
  readonly destination: string | undefined;
  readonly inResponseTo: string | undefined;
  readonly issuedAt: string | undefined;
  /** Of the assertion, where it could be read. */
  readonly assertion: ArrivedAssertion | undefined;
};

export type ArrivedAssertion = {
  readonly issuer: string | undefined;
  readonly issuedAt: string | undefined;
  readonly nameId: string | undefined;
  readonly nameIdFormat: string | undefined;
  readonly confirmations: readonly ArrivedConfirmation[];
  readonly notBefore: string | undefined;
  readonly notOnOrAfter: string | undefined;
  readonly audiences: readonly string[];
  readonly sessionNotOnOrAfter: string | undefined;
  readonly attributes: readonly { readonly name: string; readonly values: readonly string[] }[];
};

export type ArrivedConfirmation = {
  readonly method: string | undefined;
  readonly recipient: string | undefined;
  readonly inResponseTo: string | undefined;
  readonly notOnOrAfter: string | undefined;
};

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
