/** One component of a key. Strings may hold any text and have any length; numbers are finite. */
export type KeyPart = string | number;

/**
 * A tuple, compared component by component: numbers before strings, strings by their UTF-8 bytes
 * (beyond the first 256 bytes in no meaningful order). A key may hold six strings of any length, and more of them when they are short.
 */
export type Key = readonly KeyPart[];

/** The number of an app, first component of the keys of what belongs to it; never given out twice. Numbers are told apart by the compiler alone. */
export type AppNumber = number & { readonly __app: unique symbol };

/** The number of a tenant, second component of the keys of what belongs to it; never given out twice. */
export type TenantNumber = number & { readonly __tenant: unique symbol };
