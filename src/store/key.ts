/** One component of a key. Strings may hold any text and have any length; numbers are finite. */
export type KeyPart = string | number;

/**
 * A tuple, compared component by component: numbers before strings, strings by their UTF-8 bytes
 * (beyond the first 256 bytes in no meaningful order). A key may hold six strings of any length, and more of them when they are short.
 */
export type Key = readonly KeyPart[];
