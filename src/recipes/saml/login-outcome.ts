/** What the identity provider sent through the browser. */
export interface IdpAnswer {
  readonly samlResponse: string;
  /** Empty, absent or foreign where the identity provider began. */
  readonly relayState?: string | undefined;
  /** Where it came in, as far as the core knows: what an identity provider sends unasked must be addressed to it. */
  readonly acsUrl?: string | undefined;
}

/** Why a login ends without a code. */
export type LoginFailure = {
  readonly status:
    | 'INVALID_RELAY_STATE_ERROR'
    | 'INVALID_CLIENT_ERROR'
    | 'IDP_LOGIN_DISALLOWED_ERROR'
    | 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR';
};

export type FinishLoginResult = { readonly status: 'OK'; readonly redirectURI: string } | LoginFailure;

/** What every answer gets that does not hold, whatever the reason. */
export const FAILED: LoginFailure = { status: 'SAML_RESPONSE_VERIFICATION_FAILED_ERROR' };

/** The text of the 400 for what is no SAML response (contract 06 section 2.5). */
export const MALFORMED_TEXT = 'Invalid or malformed SAML response input';
