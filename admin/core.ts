/** What the core tells of whoever is signed in. */
export interface SignedIn {
  readonly status: 'OK';
  readonly operator: {
    readonly userId: string;
    readonly email: string;
    readonly role: string;
    readonly scopes: readonly string[];
    readonly hasTotp: boolean;
  };
  readonly mustEnrolTotp: boolean;
  readonly csrfToken: string;
  /** Times are ms since the epoch. */
  readonly session: { readonly id: string; readonly createdAt: number; readonly expiresAt: number; readonly idleMs: number };
}

/** Any other outcome. */
export interface Outcome {
  readonly status: string;
  readonly message?: string;
}

/** An answer that is no outcome: the core refused, in its own words. */
export class Refused extends Error {
  readonly httpStatus: number;
  constructor(httpStatus: number, text: string) {
    super(text);
    this.httpStatus = httpStatus;
  }
}

/** From `/admin/`, behind whatever path a proxy or the option base_path put before it. */
const MANAGE = '../manage/v1/';

let csrfToken = '';

/** Asks the core, with the cookie that the browser keeps. @throws Refused */
export async function ask<T extends Outcome>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const response = await fetch(MANAGE + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...(method === 'POST' && { 'x-csrf-token': csrfToken }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(response.status, text.trim());
  const answer: T & Partial<SignedIn> = JSON.parse(text);
  if (answer.csrfToken !== undefined) csrfToken = answer.csrfToken;
  return answer;
}
