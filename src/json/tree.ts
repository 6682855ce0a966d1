import type { LosslessNumber } from 'lossless-json';

/** A parsed JSON value. A number that a double cannot hold exactly is a `LosslessNumber`, which keeps its literal. */
export type JsonTree = string | number | boolean | null | LosslessNumber | JsonTree[] | JsonObject;

/** A parsed JSON object; every member, `__proto__` too, is an own property. */
export type JsonObject = { [name: string]: JsonTree };
