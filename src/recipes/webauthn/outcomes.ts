/** What is wrong with a request to sign up, to sign in or to add a passkey (contract 07 section 3). */
export type Failure =
  | { readonly status: 'OPTIONS_NOT_FOUND_ERROR' }
  | {
      readonly status: 'INVALID_CREDENTIALS_ERROR' | 'INVALID_OPTIONS_ERROR' | 'INVALID_AUTHENTICATOR_ERROR';
      readonly reason: string;
    };

export const OPTIONS_NOT_FOUND = { status: 'OPTIONS_NOT_FOUND_ERROR' } as const;
export const OPTIONS_EXPIRED = { status: 'INVALID_OPTIONS_ERROR', reason: 'Options expired' } as const;

export const invalidCredentials = (reason: string) => ({ status: 'INVALID_CREDENTIALS_ERROR', reason }) as const;
export const invalidAuthenticator = (reason: string) => ({ status: 'INVALID_AUTHENTICATOR_ERROR', reason }) as const;

/** A passkey that somebody has already, where the interface has no status of its own for it. */
export const CREDENTIAL_TAKEN = invalidCredentials('The credential is already registered');
