/** What verbs come to that is counted for the metrics of a process: each status of a result, as an outcome. */
const OUTCOMES = {
  password: ['OK', 'WRONG_CREDENTIALS_ERROR'],
  passwordless: ['OK', 'INCORRECT_USER_INPUT_CODE_ERROR', 'EXPIRED_USER_INPUT_CODE_ERROR', 'RESTART_FLOW_ERROR'],
  'third-party': ['OK', 'EMAIL_CHANGE_NOT_ALLOWED_ERROR'],
  passkey: [
    'OK',
    'CREDENTIAL_NOT_FOUND_ERROR',
    'OPTIONS_NOT_FOUND_ERROR',
    'INVALID_CREDENTIALS_ERROR',
    'INVALID_OPTIONS_ERROR',
    'INVALID_AUTHENTICATOR_ERROR',
  ],
  totp: ['OK', 'UNKNOWN_USER_ID_ERROR', 'INVALID_TOTP_ERROR', 'LIMIT_REACHED_ERROR'],
  dashboard: ['OK', 'INVALID_CREDENTIALS_ERROR'],
  'session-create': ['OK'],
  'session-refresh': ['OK', 'UNAUTHORISED', 'TOKEN_THEFT_DETECTED'],
} as const;

/** What is tried: a way to sign in, or something with a session. */
export type TallySubject = keyof typeof OUTCOMES;

/** The subjects whose outcomes include every status of a result. */
export type TallySubjectOf<R> = {
  [S in TallySubject]: R extends { readonly status: infer U } ? (U extends (typeof OUTCOMES)[S][number] ? S : never) : never;
}[TallySubject];

export interface Tally {
  readonly subject: TallySubject;
  /** In lower case, without the `_ERROR` at the end. */
  readonly outcome: string;
}

const NAMED = Object.entries(OUTCOMES).flatMap(([subject, statuses]) =>
  statuses.map((status) => ({ subject: subject as TallySubject, status, outcome: status.toLowerCase().replace(/_error$/, '') })),
);

/** Everything that is counted; its number is its position. */
export const TALLIES: readonly Tally[] = NAMED.map(({ subject, outcome }) => ({ subject, outcome }));

const NUMBERS = new Map(NAMED.map(({ subject, status }, number) => [`${subject} ${status}`, number]));

/** The number of what a result is counted as. */
export const tallyOf = (subject: TallySubject, status: string): number | undefined => NUMBERS.get(`${subject} ${status}`);
