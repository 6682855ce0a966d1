import { LIFE_MS, OPERATOR_COOKIE } from '../operators/sessions.ts';

/** No script reads it, no other site sends it, and it goes over TLS or to this machine alone. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** The header value that gives a browser its session. */
export const cookieWith = (token: string): string => `${OPERATOR_COOKIE}=${token}; Max-Age=${LIFE_MS / 1000}; ${ATTRIBUTES}`;

/** The header value that takes it away. */
export const NO_COOKIE = `${OPERATOR_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;
