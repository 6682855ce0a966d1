import type { Outcome, SignUpStep } from './operations.ts';

/** A login method as the model keeps it. */
export interface Method {
  readonly id: string;
  readonly recipe: SignUpStep['recipe'];
  readonly tenants: Set<number>;
  email: string | undefined;
  phone: string | undefined;
  readonly account: string | undefined;
  /** Id of the primary user it belongs to. */
  group: string | undefined;
  readonly joined: number;
}

export const UNKNOWN: Outcome = '400 Unknown user ID provided';
export const INFO_TAKEN = 'ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR';
export const WHAT: Readonly<Record<string, string>> = { email: 'email', phone: 'phone number', tparty: 'third party login' };
export const MAPPED = 'USER_ID_MAPPING_ALREADY_EXISTS_ERROR';
export const mapped = (inner: boolean, outer: boolean): Outcome =>
  `${MAPPED} doesExternalUserIdExist=${outer} doesSuperTokensUserIdExist=${inner}`;
export const inUse = (recipe: string): Outcome => `400 UserId is already in use in ${recipe} recipe`;

export const infosOf = ({ email, phone, account }: Method): string[] => [
  ...(account === undefined ? [] : [`tparty,google,${account}`]),
  ...(email === undefined ? [] : [`email,${email}`]),
  ...(phone === undefined ? [] : [`phone,${phone}`]),
];
