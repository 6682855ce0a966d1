/** One component of a key. Strings may hold any text and have any length; numbers are finite. */
export type KeyPart = string | number;

/**
 * A tuple, compared by components: numbers before strings, strings by UTF-8 (beyond 256 bytes in no useful order). A
 * key may hold six strings of any length, and more of them when they are short.
 */
export type Key = readonly KeyPart[];

/** The number of an app, first component of its keys, never given out twice. Only the compiler tells numbers apart. */
export type AppNumber = number & { readonly __app: unique symbol };

/** The number of a tenant, second component of the keys of what belongs to it; never given out twice. */
export type TenantNumber = number & { readonly __tenant: unique symbol };
