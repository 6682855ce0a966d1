import type { ApiScope } from '../tenants/api-keys.ts';

/** What an operator may do, by the role that was granted. */
export const ROLE_SCOPES = {
  viewer: ['read'],
  support: ['read', 'users'],
  admin: ['all'],
} as const satisfies Record<string, readonly ApiScope[]>;

export type OperatorRole = keyof typeof ROLE_SCOPES;

export const OPERATOR_ROLES = Object.keys(ROLE_SCOPES) as readonly OperatorRole[];

export const isRole = (text: string): text is OperatorRole => Object.hasOwn(ROLE_SCOPES, text);
