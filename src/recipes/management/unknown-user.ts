/** The answer where nobody has an id. */
export interface UnknownUser {
  readonly status: 'UNKNOWN_USER_ID_ERROR';
}

export const UNKNOWN_USER: UnknownUser = { status: 'UNKNOWN_USER_ID_ERROR' };
