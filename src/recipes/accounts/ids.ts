/**
 * The id that a login method or a primary user was given here, a uuid v4: records and links are kept under it. A text
 * that a caller sent is none before something was looked up under it (`findId`).
 */
export type InternalUserId = string & { readonly __internal: unique symbol };

/** The id that an application maps to an internal one, and by which its users are shown (contract 01 section 4). */
export type ExternalUserId = string & { readonly __external: unique symbol };

/** A text taken for an internal id, to see who has it. */
export const asInternal = (text: string): InternalUserId => text as InternalUserId;

/** A text taken for an external id, to see whose it is. */
export const asExternal = (text: string): ExternalUserId => text as ExternalUserId;
