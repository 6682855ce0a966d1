import type { AppNumber, TenantNumber } from '../src/store/store.ts';

/** The number of an app that a test makes up. */
export const appNumber = (number: number): AppNumber => number as AppNumber;

/** The number of a tenant that a test makes up. */
export const tenantNumber = (number: number): TenantNumber => number as TenantNumber;
